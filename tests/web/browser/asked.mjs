// A turn that asks its user, is looked at anew, and goes on with the answer, on the built-in page.
//   node asked.mjs <chromium> <address> [folder for pictures]
import { chromium } from "playwright-core";

const [executablePath, address, pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
  const seen = { faults: [] };
  page.on("pageerror", (error) => seen.faults.push(String(error)));
  page.on("dialog", (dialog) => { seen.faults.push(dialog.message()); dialog.dismiss(); });
  const say = async (text) => { await page.getByLabel("Your message").fill(text); await page.getByLabel("Your message").press("Enter"); };
  const done = () => page.getByRole("button", { name: "Send" }).and(page.locator(":enabled")).waitFor();
  const picture = async (name) => pictures && page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });

  await page.goto(address);
  await say("ask me");
  await page.locator(".asking").waitFor();
  seen.asked = await page.locator(".asking label").allTextContents();
  seen.choices = await page.locator(".asking .choices").allTextContents();
  seen.elements = await page.locator(".asking label *, .asking p *").count();
  await picture("question");
  await page.reload();
  await page.locator(".asking input").first().fill("red");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator(".answer", { hasText: "Here is your answer." }).waitFor();
  await done();
  seen.left = await page.locator(".asking").count();

  await say("send a mail");
  await page.locator(".asking").waitFor();
  const args = page.getByLabel("to be called with");
  seen.why = await page.locator(".asking .effect, .asking .why").allTextContents();
  await args.fill("{ no JSON");
  await page.getByLabel("Your decision").selectOption("yes");
  await page.getByRole("button", { name: "Answer" }).click();
  seen.invalid = await args.evaluate((area) => area.validationMessage);
  await picture("approval");
  await args.fill(JSON.stringify({ to: ["bob@example.com"], subject: "Changed", body: "By hand" }));
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator(".turn").last().locator(".answer", { hasText: "Here is your answer." }).waitFor();
  await done();

  await say("show me a plan");
  await page.locator(".asking").waitFor();
  seen.plan = await page.locator(".asking legend, .asking li").allTextContents();
  seen.elements += await page.locator(".asking li *").count();
  await picture("plan");
  await page.getByLabel("Your decision").selectOption("yes");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator(".turn").last().locator(".answer", { hasText: "Here is your answer." }).waitFor();
  await done();

  await say("ask me again");
  await page.locator(".asking").waitFor();
  await page.getByRole("button", { name: "Rather not say" }).click();
  await page.locator(".turn").last().locator(".answer", { hasText: "Here is your answer." }).waitFor();
  await done();
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await picture("asked");
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
