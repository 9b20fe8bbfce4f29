// Uses the built-in page as a person does.
//   node page.mjs <chromium> <address> [folder for pictures]
import { chromium } from "playwright-core";

const [executablePath, address, pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
  const foreign = [];
  page.on("request", (request) => !request.url().startsWith(address) && !request.url().startsWith("data:") && foreign.push(request.url()));
  const box = () => page.getByLabel("Your message");
  const say = async (text) => { await box().fill(text); await box().press("Enter"); };
  const seen = {};
  const picture = async (name, width) => {
    if (!pictures) return;
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
    await page.setViewportSize({ width: 360, height: 640 });
  };

  await page.goto(`${address}/#my%20thread`);
  await page.getByText("This server asks for a key").waitFor();
  await page.getByLabel("This server asks for a key").fill("sk-alice");
  await page.getByRole("button", { name: "Use it" }).click();
  faults.length = 0; // the browser reports the 401 and the 404 of a new thread

  await say("hello <b>there</b>");
  await page.locator(".bill", { hasText: "tokens" }).waitFor();
  seen.user = await page.locator(".user").allTextContents();
  seen.answer = await page.locator(".answer").allTextContents();
  seen.bill = await page.locator(".bill").allTextContents();
  seen.stages = await page.locator(".stages li").evaluateAll((items) => items.map((item) => [item.dataset.name, item.dataset.state]));
  seen.spent = await page.locator("#spent").textContent();
  seen.labels = await page.locator(".stages li").evaluateAll((items) => items.map((item) => item.getAttribute("aria-label")));
  seen.open = await page.locator(".work").evaluate((details) => details.open);
  await page.getByText("How it was worked out").click();
  seen.steps = await page.locator(".steps > div").allInnerTexts();
  seen.costs = await page.locator(".costs tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  for (const [name, width] of [["narrow", 360], ["wide", 1100]]) await picture(name, width);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture("dark", 1100);
  await page.emulateMedia({ colorScheme: "light" });
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

  await say("fail");
  await page.getByRole("alert").waitFor();
  seen.alert = await page.getByRole("alert").textContent();

  await say("wait");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("alert").filter({ hasText: "There is no such run" }).waitFor();

  seen.faults = faults.filter((fault) => !/status of 40[14]/.test(fault));
  seen.foreign = foreign;
  await page.getByRole("button", { name: "New conversation" }).click();
  seen.left = await page.locator(".user, .turn").count();
  seen.hash = await page.evaluate(() => location.hash.length);

  await page.goto(`${address}/#told`);
  await page.locator(".answer", { hasText: "Answer 2" }).waitFor();
  seen.history = await page.locator(".user, .answer").allTextContents();
  seen.told = await page.locator(".bill").allTextContents();
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    seen[colorScheme] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  }
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
