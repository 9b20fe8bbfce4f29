// Calls the API from a page of another origin, in a real browser.
//   node cors.mjs <chromium> <page address> <api address>
// Prints for each call what the page could see of it.
import { chromium } from "playwright-core";

const [executablePath, page_, api] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage();
  await page.goto(page_);
  const seen = await page.evaluate(async (url) => {
    const turn = (text) => JSON.stringify({ threadId: "t", runId: crypto.randomUUID(), messages: [{ id: "m", role: "user", content: text }] });
    const json = { "Content-Type": "application/json" };
    const key = { Authorization: "Bearer sk-alice" };
    const calls = {
      turn: ["/v1/agent-chat", { method: "POST", headers: { ...json, ...key, "Last-Event-ID": "1" }, body: turn("hello") }],
      withCookies: ["/v1/agent-chat", { method: "POST", credentials: "include", headers: { ...json, ...key }, body: turn("hello") }],
      noKey: ["/v1/agent-chat", { method: "POST", headers: json, body: turn("hello") }],
      refused: ["/v1/agent-chat", { method: "POST", headers: { ...json, ...key }, body: turn("busy") }],
      invalid: ["/v1/agent-chat", { method: "POST", headers: { ...json, ...key }, body: "{" }],
      broken: ["/v1/agent-chat", { method: "POST", headers: { ...json, ...key }, body: turn("bug") }],
      rename: ["/v1/sessions/none", { method: "PATCH", headers: { ...json, ...key }, body: '{"title":"x"}' }],
      sessions: ["/v1/sessions", { headers: key }],
      simple: ["/v1/agent-chat", { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: turn("simple") }],
    };
    const seen = {};
    for (const [name, [path, init]] of Object.entries(calls)) {
      try {
        const answer = await fetch(url + path, init);
        const text = await answer.text();
        seen[name] = { status: answer.status, run: answer.headers.get("x-run-id"), trace: answer.headers.get("x-trace-id"), finished: text.includes("RUN_FINISHED") };
      } catch (error) {
        seen[name] = { blocked: error.name };
      }
    }
    return seen;
  }, api);
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}
