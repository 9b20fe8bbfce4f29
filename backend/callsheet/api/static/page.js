// One conversation over the public protocol: POST /v1/agent-chat answers with AG-UI events.
"use strict";

const at = (id) => document.getElementById(id);
const view = { log: at("log"), error: at("error"), text: at("text"), send: at("send"), stop: at("stop"), spent: at("spent") };
let threadId = "";
let runId = null; // of the run under way, as the server names it
let turnCount = 0; // grows with each change of conversation, so that late answers are dropped

// ---------------------------------------------------------------- talking to the server

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function call(path, body, accept = "application/json") {
  const headers = { Accept: accept };
  const key = sessionStorage.getItem("key");
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  at("key-form").hidden = answer.status !== 401;
  throw Object.assign(new Error(problem.detail || `The server answered ${answer.status}.`), { status: answer.status });
}

async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      if (data.length) yield JSON.parse(data.join("\n"));
    }
  }
}

// ---------------------------------------------------------------- showing

function showError(message) {
  view.error.textContent = message;
  view.error.hidden = !message;
}

function atEnd() {
  return view.log.scrollHeight - view.log.scrollTop - view.log.clientHeight < 80;
}

function add(element) {
  at("hint").hidden = true;
  view.log.append(element);
  view.log.scrollTop = view.log.scrollHeight;
  return element;
}

function showUser(text) {
  const said = document.createElement("p");
  said.className = "user";
  said.textContent = text;
  return add(said);
}

function showTurn() {
  return add(at("turn").content.firstElementChild.cloneNode(true));
}

function showRunning(isRunning) {
  view.send.disabled = isRunning;
  view.stop.hidden = !isRunning;
  view.stop.disabled = false;
}

function money(callsheet) {
  return callsheet && callsheet.cost !== undefined ? `${callsheet.cost} ${callsheet.currency || ""}`.trim() : "";
}

/** Applies the events of one run to one <article>. */
class Turn {
  constructor(article) {
    this.article = article;
    this.part = (name) => article.querySelector(`.${name}`);
    this.agents = new Map();
    this.steps = new Map();
    this.ended = false;
  }

  step(id, title, tag = "div") {
    const box = document.createElement("div");
    const name = document.createElement("b");
    const text = document.createElement(tag);
    name.textContent = title;
    box.append(name, text);
    this.part("steps").append(box);
    this.part("work").hidden = false;
    this.steps.set(id, text);
  }

  stage(name, state) {
    const known = [...this.part("stages").children].find((item) => item.dataset.name === name);
    const item = known || document.createElement("li");
    item.dataset.name = name;
    item.textContent = name;
    item.dataset.state = state;
    item.setAttribute("aria-label", `${name}: ${state === "now" ? "working" : state}`);
    if (!known) this.part("stages").append(item);
  }

  bill(event) {
    const tokens = (event.usage || []).reduce((sum, used) => sum + (used.totalTokens || 0), 0);
    const cost = money(event.metadata?.callsheet);
    this.part("bill").textContent = [tokens ? `${tokens} tokens` : "", cost].filter(Boolean).join(" · ");
  }

  end(event) {
    this.ended = true;
    this.bill(event);
    for (const item of this.part("stages").children) if (item.dataset.state === "now") this.stage(item.dataset.name, "failed");
    if (event.type === "RUN_ERROR") showError(event.message);
    const stopped = event.outcome?.type === "cancelled";
    if (stopped) this.part("bill").textContent = ["Stopped", this.part("bill").textContent].filter(Boolean).join(" · ");
  }

  apply(event) {
    const own = event.metadata?.callsheet || {};
    switch (event.type) {
      case "STEP_STARTED": return this.stage(event.stepName, "now");
      case "STEP_FINISHED": return this.stage(event.stepName, own.status || "done");
      case "SUBAGENT_STARTED": return void this.agents.set(event.subagentRunId, event.name);
      case "REASONING_MESSAGE_START": return this.step(event.messageId, this.agents.get(event.subagentRunId) || "Reasoning");
      case "TOOL_CALL_START": return this.step(event.toolCallId, `${event.toolCallName}(…)`, "code");
      case "REASONING_MESSAGE_CONTENT": return void this.steps.get(event.messageId).append(event.delta);
      case "TOOL_CALL_ARGS": return void this.steps.get(event.toolCallId).append(event.delta);
      case "TOOL_CALL_RESULT": return void this.steps.get(event.toolCallId).append(`\n= ${event.content}`);
      case "TEXT_MESSAGE_CONTENT": return void this.part("answer").append(event.delta);
      case "RUN_FINISHED": case "RUN_ERROR": return this.end(event);
    }
  }
}

// ---------------------------------------------------------------- one turn

async function ask(text) {
  const mine = turnCount;
  showError("");
  showRunning(true);
  const said = showUser(text);
  let turn = null;
  try {
    const answer = await call("v1/agent-chat", {
      protocolVersion: "1.0", threadId, runId: newId(), messages: [{ id: newId(), role: "user", content: text }],
    }, "text/event-stream");
    runId = answer.headers.get("X-Run-Id");
    turn = new Turn(showTurn());
    turn.article.setAttribute("aria-busy", "true");
    for await (const event of eventsOf(answer)) {
      if (mine !== turnCount) return; // another conversation is shown; the run goes on without a viewer
      const follow = atEnd();
      turn.apply(event);
      if (follow) view.log.scrollTop = view.log.scrollHeight;
    }
    if (!turn.ended) throw new Error("The connection was lost. The run goes on; reload to see its answer.");
  } catch (error) {
    if (mine !== turnCount) return;
    if (!turn) { said.remove(); view.text.value = view.text.value || text; }
    showError(error.message);
  }
  turn?.article.removeAttribute("aria-busy");
  runId = null;
  showRunning(false);
  await showTotals().catch(() => {});
}

async function stop() {
  view.stop.disabled = true;
  const path = runId ? `v1/runs/${encodeURIComponent(runId)}/cancel` : `v1/sessions/${encodeURIComponent(threadId)}/cancel`;
  await call(path, {}).catch((error) => { showError(error.message); view.stop.disabled = false; });
}

// ---------------------------------------------------------------- what was said before

async function session() {
  return (await call(`v1/sessions/${encodeURIComponent(threadId)}`)).json();
}

async function showTotals() {
  const found = await session();
  view.spent.textContent = found.totalTokens ? `${found.totalTokens} tokens · ${found.totalCost}` : "";
  return found;
}

async function showHistory() {
  const mine = turnCount;
  try {
    const found = await showTotals();
    const items = [];
    for (let cursor = ""; cursor !== null;) {
      const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
      const page = await (await call(`v1/sessions/${encodeURIComponent(threadId)}/messages?limit=200${more}`)).json();
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    if (mine !== turnCount) return;
    view.log.querySelectorAll(".user, .turn").forEach((old) => old.remove());
    const spent = spentByRun(items);
    for (const item of items) {
      if (item.role === "user") showUser(item.content);
      else if (item.role === "assistant" && item.metadata.visible && item.content) showAnswer(item, spent.get(item.metadata.run_id) || item);
    }
    const busy = found.status === "running" || found.status === "pending" && items.length > 0;
    showRunning(busy);
    if (busy) setTimeout(() => mine === turnCount && !runId && showHistory(), 1500);
  } catch (error) {
    if (error.status !== 404 && mine === turnCount) showError(error.message);
  }
}

/** What all messages of a run used together, by the run's id. */
function spentByRun(items) {
  const spent = new Map();
  for (const item of items) {
    const run = item.metadata.run_id;
    if (!run) continue;
    const before = spent.get(run) || { inputTokens: 0, outputTokens: 0, cost: 0, currency: item.currency };
    spent.set(run, {
      ...before, inputTokens: before.inputTokens + item.inputTokens, outputTokens: before.outputTokens + item.outputTokens,
      cost: Number((before.cost + Number(item.cost)).toFixed(6)),
    });
  }
  return spent;
}

function showAnswer(item, spent) {
  const article = showTurn();
  article.querySelector(".answer").textContent = item.content;
  article.querySelector(".bill").textContent = `${spent.inputTokens + spent.outputTokens} tokens · ${spent.cost} ${spent.currency}`;
}

function open(id) {
  turnCount += 1;
  threadId = id;
  runId = null;
  if (decodeURIComponent(location.hash.slice(1)) !== id) location.hash = encodeURIComponent(id);
  view.log.querySelectorAll(".user, .turn").forEach((old) => old.remove());
  at("hint").hidden = false;
  view.spent.textContent = "";
  showError("");
  showRunning(false);
  return showHistory();
}

// ---------------------------------------------------------------- controls

at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = view.text.value.trim();
  if (!text || view.send.disabled) return;
  view.text.value = "";
  ask(text);
});
view.text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  at("ask").requestSubmit();
});
view.stop.addEventListener("click", stop);
at("new").addEventListener("click", () => { open(newId()); view.text.focus(); });
at("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("key", at("key").value.trim());
  at("key-form").hidden = true;
  open(threadId);
});
addEventListener("hashchange", () => {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id && id !== threadId) open(id);
});
open(decodeURIComponent(location.hash.slice(1)) || newId());
