// One turn on the built-in page, and all that it says about what was spent.
//   node hidden.mjs <chromium> <address>
import { chromium } from "playwright-core";

const [executablePath, address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  const seen = { faults: [] };
  page.on("pageerror", (error) => seen.faults.push(String(error)));
  await page.goto(`${address}/#thread`);
  await page.getByLabel("This server asks for a key").fill("sk-alice");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByLabel("Your message").fill("hello");
  await page.getByLabel("Your message").press("Enter");
  await page.getByRole("button", { name: "Send" }).and(page.locator(":enabled")).waitFor();
  await page.locator(".bill", { hasText: "200 tokens" }).waitFor();
  await page.getByText("How it was worked out").click();
  seen.bill = await page.locator(".bill").allTextContents();
  seen.spent = await page.locator("#spent").textContent();
  seen.labels = await page.locator(".stages li").evaluateAll((items) => items.map((item) => item.getAttribute("aria-label")));
  seen.costs = await page.locator(".costs tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  seen.text = await page.locator("body").innerText();
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
