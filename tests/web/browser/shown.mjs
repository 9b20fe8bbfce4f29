// What tools show on the built-in page: steps, files, sources, what programs write, and calls that fail.
//   node shown.mjs <chromium> <address>
import { chromium } from "playwright-core";

const [executablePath, address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const steps = (states) => ({ listId: "l", title: "<b>Report</b>", revision: 1, status: "active",
  items: states.map((status, at) => ({ id: String(at), label: `Step ${at}`, status })) });
const snapshot = (messageId, kind, content) => ({ type: "ACTIVITY_SNAPSHOT", messageId, activityType: `callsheet.${kind}`, content, replace: true });
const delta = (messageId, kind, path, value) => ({ type: "ACTIVITY_DELTA", messageId, activityType: `callsheet.${kind}`, patch: [{ op: "add", path, value }] });
const result = (toolCallId, content, status) => ({ type: "TOOL_CALL_RESULT", messageId: `r${toolCallId}`, toolCallId, content, metadata: { callsheet: { status } } });
const file = { id: "f1", name: "out/<i>plot.png", sizeBytes: 18216 };
const sources = [{ number: 1, url: "https://example.com/cats", title: "<b>Cats</b>" }, { number: 2, url: "kb:articles/7", title: "" }];
const events = [
  { type: "RUN_STARTED" },
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "python_executor" },
  snapshot("t", "todo", steps(["running", "pending"])),
  snapshot("o", "output", { toolCallId: "c1", chunks: [] }),
  delta("o", "output", "/chunks/-", { stream: "stdout", text: "one " }),
  delta("o", "output", "/chunks/-", { stream: "stdout", text: "two" }),
  delta("o", "output", "/chunks/-", { stream: "stderr", text: "<u>oh</u>" }),
  snapshot("f1", "artifact", file),
  snapshot("f1", "artifact", file),
  result("c1", "done", "ok"),
  { type: "TOOL_CALL_START", toolCallId: "c2", toolCallName: "web_search" },
  snapshot("s", "sources", { sources: [] }),
  ...sources.map((source) => delta("s", "sources", "/sources/-", source)),
  result("c2", "Error: no", "error"),
  snapshot("t", "todo", steps(["completed", "running"])),
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "See [1]." },
  { type: "RUN_FINISHED", usage: [] },
];
try {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  const seen = { faults: [] };
  page.on("pageerror", (error) => seen.faults.push(String(error)));
  const json = (route, body) => route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });
  await page.route("**/v1/agent-chat", (route) => route.fulfill({ contentType: "text/event-stream", headers: { "X-Run-Id": "run" },
    body: events.map((event, at) => `id: ${at + 1}\ndata: ${JSON.stringify(event)}\n\n`).join("") }));
  await page.goto(`${address}/#thread`);
  await page.getByLabel("This server asks for a key").fill("sk-alice");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByLabel("Your message").fill("hello");
  await page.getByLabel("Your message").press("Enter");
  await page.locator(".answer", { hasText: "See [1]." }).waitFor();
  await page.getByRole("button", { name: "Send" }).and(page.locator(":enabled")).waitFor();
  const shown = async () => ({
    todo: await page.locator(".todo:not([hidden])").allTextContents(),
    states: await page.locator(".todo:not([hidden]) li").evaluateAll((items) => items.map((item) => item.dataset.state)),
    files: await page.locator(".files li").allTextContents(),
    sources: await page.locator(".sources li").evaluateAll((items) => items.map((item) => [item.value, item.textContent, item.querySelector("a")?.href ?? null])),
    elements: await page.locator(".todo b *, .files a *, .sources a *, .sources span *, samp *").count(),
  });
  seen.live = await shown();
  seen.printed = await page.locator("samp").evaluateAll((items) => items.map((item) => [item.dataset.stream, item.textContent]));
  seen.failed = await page.locator(".steps > [data-state]").evaluateAll((items) => items.map((item) => item.firstChild.textContent));
  await page.getByText("How it was worked out").click();
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

  await page.route("**/v1/artifacts/f1", (route) => { seen.key = route.request().headers().authorization; return route.fulfill({ body: "PNG" }); });
  const saving = page.waitForEvent("download");
  await page.locator(".files a").click();
  seen.saved = (await saving).suggestedFilename();

  const item = { metadata: { visible: true, run_id: "run" }, totalTokens: 1 };
  await page.route("**/v1/sessions/thread", (route) => json(route, { totalTokens: 1, totalCost: "0" }));
  await page.route("**/v1/sessions/thread/runs?*", (route) => json(route, { items: [] }));
  await page.route("**/v1/interrupts?*", (route) => json(route, { items: [] }));
  await page.route("**/v1/sessions/thread/messages?*", (route) => json(route, { nextCursor: null, items: [
    { role: "user", content: "hello", metadata: {} },
    { ...item, role: "assistant", content: "See [1].", metadata: { ...item.metadata, sources } }] }));
  await page.route("**/v1/sessions/thread/artifacts?*", (route) => json(route, { items: [{ ...file, runId: "run" }] }));
  await page.route("**/v1/sessions/thread/todo-list", (route) => json(route, { ...steps(["completed", "running"]), runId: "run" }));
  await page.reload();
  await page.locator(".answer", { hasText: "See [1]." }).waitFor();
  await page.locator(".todo:not([hidden])").waitFor();
  seen.again = await shown();
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
