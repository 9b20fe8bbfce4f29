// A turn that is cut off, looked at anew, and gone on with, on the built-in page.
//   node again.mjs <chromium> <address> <how the browser finds it> [folder for pictures]
import { chromium } from "playwright-core";

const [executablePath, address, found, pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", `--host-resolver-rules=${found}`] });
try {
  const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
  const page = await context.newPage();
  const seen = { faults: [] };
  page.on("pageerror", (error) => seen.faults.push(String(error)));
  const say = async (text) => { await page.getByLabel("Your message").fill(text); await page.getByLabel("Your message").press("Enter"); };
  const working = (stage) => page.locator(".turn").last().locator(".stages li[data-state=now]", { hasText: stage }).waitFor();
  const billed = () => page.locator(".turn").last().locator(".bill", { hasText: "tokens" }).waitFor();
  const answer = () => page.locator(".turn").last().locator(".answer").allTextContents();
  const steps = async () => (await page.locator(".turn").last().locator(".steps > div").allTextContents()).join("\n");

  await page.addInitScript(() => addEventListener("DOMContentLoaded", () => { // it may show for an instant only
    const lost = document.getElementById("lost");
    new MutationObserver(() => { if (!lost.hidden) window.wasLost = true; }).observe(lost, { attributes: true });
  }));
  await page.goto(address);
  await say("slowly");
  await working("execution"); // now the line is cut, and mended when the page has tried to come back
  await page.waitForFunction(() => window.wasLost);
  await billed();
  seen.cut = { answer: await answer(), steps: await steps(), lost: await page.getByRole("status").isVisible() };

  await say("slowly");
  await working("execution");
  await page.reload();
  await working("execution");
  seen.stop = await page.getByRole("button", { name: "Stop" }).isVisible();
  await billed();
  seen.reloaded = { answer: await answer(), steps: await steps(), turns: await page.locator(".turn").count() };

  await say("fail");
  await page.getByRole("alert").waitFor();
  if (pictures) await page.screenshot({ path: `${pictures}/broken.png` });
  await page.getByRole("button", { name: "Go on from here" }).click();
  await page.locator(".turn").nth(3).locator(".bill", { hasText: "tokens" }).waitFor();
  seen.goneOn = { answer: await answer(), users: await page.locator(".user").count(), again: await page.locator(".again:visible").count(), alert: await page.getByRole("alert").isVisible() };
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  if (pictures) await page.screenshot({ path: `${pictures}/goneon.png`, fullPage: true });
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
