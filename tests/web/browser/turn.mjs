// One real turn on the built-in page; with the word "stop", it is stopped while a model is at work.
//   node turn.mjs <chromium> <address> [stop]
import { chromium } from "playwright-core";

const [executablePath, address, stop] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  const seen = { faults: [], foreign: [] };
  page.on("pageerror", (error) => seen.faults.push(String(error)));
  page.on("dialog", (dialog) => { seen.faults.push(dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => !request.url().startsWith(address) && !request.url().startsWith("data:") && seen.foreign.push(request.url()));

  await page.goto(`${address}/#%`); // no legal name of a conversation: a new one begins
  await page.getByLabel("Your message").fill("hello");
  await page.getByLabel("Your message").press("Enter");
  if (stop) {
    await page.locator(".stages li[data-state=now]", { hasText: "execution" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".bill", { hasText: "Stopped" }).waitFor();
  } else {
    await page.locator(".bill", { hasText: "tokens" }).waitFor();
  }
  await page.getByRole("button", { name: "Send" }).and(page.locator(":enabled")).waitFor();
  seen.stop = await page.getByRole("button", { name: "Stop" }).isVisible();
  seen.stages = await page.locator(".stages li").evaluateAll((items) => items.map((item) => [item.dataset.name, item.dataset.state]));
  seen.answers = await page.locator(".answer").allTextContents();
  seen.elements = await page.locator(".answer *").count();
  seen.direction = await page.locator(".answer").first().evaluate((answer) => getComputedStyle(answer).direction);
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await page.reload();
  await page.locator(".user", { hasText: "hello" }).waitFor();
  seen.again = await page.locator(".user, .answer").allTextContents();
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
