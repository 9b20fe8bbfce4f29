// One conversation over the public protocol: POST /v1/agent-chat answers with AG-UI events.

import { billed, billOf, said, spentByRun } from "./cost.js";
import { askingForm } from "./asking.js";
import { followed } from "./live.js";
import { activeRun, answerRun, continueRun, newId, openInterrupts, readFiles, readMessages, readSession, readSteps, startTurn, stopTurn, useKey, watchRun } from "./server.js";
import { SessionTotal } from "./session.js";
import { showFile, showSources, showSteps } from "./shown.js";
import { Turn } from "./turn.js";

const at = (id) => document.getElementById(id);
const view = { log: at("log"), error: at("error"), text: at("text"), send: at("send"), stop: at("stop"), spent: at("spent") };
let threadId = "";
let runId = null; // of the run under way, as the server names it
const total = new SessionTotal((session) => showTotal(session, session.currency));
let turnCount = 0; // grows with each change of conversation, so that late answers are dropped

// ---------------------------------------------------------------- showing

function showError(message) {
  view.error.textContent = message;
  view.error.hidden = !message;
}

function showLost(isLost) {
  at("lost").hidden = !isLost;
}

function showFailure(error) {
  at("key-form").hidden = error.status !== 401;
  showError(error.message);
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
  const box = document.createElement("p");
  box.className = "user";
  box.dir = "auto";
  box.textContent = text;
  return add(box);
}

function showTurn() {
  return add(at("turn").content.firstElementChild.cloneNode(true));
}

function showAnswer(item, spent) {
  const article = showTurn();
  article.querySelector(".answer").textContent = item.content;
  article.querySelector(".bill").textContent = billOf(billed(spent), billed(item));
  showSources(article, item.metadata.sources ?? []);
  return article;
}

function showTotal(session, currency) {
  view.spent.textContent = said(session.totalTokens, session.totalTokens ? session.totalCost : undefined, currency);
}

function showRunning(isRunning) {
  view.send.disabled = isRunning;
  view.stop.hidden = !isRunning;
  view.stop.disabled = false;
}

function clear() {
  view.log.querySelectorAll(".user, .turn").forEach((old) => old.remove());
}

// ---------------------------------------------------------------- one turn

function ask(text) {
  const shown = showUser(text);
  return run(() => startTurn(threadId, text), () => {
    shown.remove();
    view.text.value = view.text.value || text;
  });
}

/** Shows a run that `begin` asks for, to its end; `refused` is called where there is none. */
async function run(begin, refused = () => {}) {
  const mine = turnCount;
  showError("");
  showRunning(true);
  view.log.querySelectorAll(".again, .asking").forEach((old) => old.remove());
  let turn = null;
  try {
    const answer = await begin();
    if (mine !== turnCount) return;
    runId = answer.headers.get("X-Run-Id");
    turn = new Turn(showTurn(), showError);
    turn.article.setAttribute("aria-busy", "true");
    for await (const event of followed(answer, runId, showLost)) {
      if (mine !== turnCount) return; // another conversation is shown; the run goes on without a viewer
      const follow = atEnd();
      turn.apply(event);
      total.apply(event);
      if (follow) view.log.scrollTop = view.log.scrollHeight;
    }
    if (turn.waitsFor.length) askPerson(turn.article, turn.waitsFor);
    if (turn.brokeOff) offerToGoOn(turn.article, runId);
  } catch (error) {
    if (mine !== turnCount) return;
    if (!turn) refused();
    showFailure(error);
  }
  showLost(false);
  turn?.article.removeAttribute("aria-busy");
  runId = null;
  showRunning(false);
  if (!total.known) await showTotals(mine).catch(() => {});
}

function askPerson(article, interrupts) {
  article.append(askingForm(interrupts, (resume) => run(() => answerRun(threadId, resume), () => askPerson(article, interrupts))));
  view.log.scrollTop = view.log.scrollHeight;
}

function offerToGoOn(article, broken) {
  const button = article.querySelector(".again");
  button.hidden = false;
  button.addEventListener("click", () => run(() => continueRun(broken)));
}

async function stop() {
  view.stop.disabled = true;
  await stopTurn(threadId, runId).catch((error) => { showFailure(error); view.stop.disabled = false; });
}

// ---------------------------------------------------------------- what was said before

async function showTotals(mine) {
  const found = await readSession(threadId);
  if (mine === turnCount) showTotal(found);
  return found;
}

async function showHistory() {
  const mine = turnCount;
  try {
    const found = await showTotals(mine);
    const active = await activeRun(threadId);
    const items = await readMessages(threadId);
    const [files, steps] = await Promise.all([readFiles(threadId), readSteps(threadId)]);
    if (mine !== turnCount || runId) return;
    clear();
    if (!total.known) showTotal(found, items.at(-1)?.currency);
    const spent = spentByRun(items);
    const answers = new Map(); // by run
    for (const item of items) {
      if (item.role === "user") showUser(item.content);
      else if (isAnswer(item) && item.metadata.run_id !== active) answers.set(item.metadata.run_id, showAnswer(item, spent.get(item.metadata.run_id) || item));
    }
    const last = [...answers.values()].at(-1);
    for (const file of files) if (file.runId !== active && last) showFile(answers.get(file.runId) ?? last, file, showError);
    if (steps && steps.runId !== active && last) showSteps(answers.get(steps.runId) ?? last, steps);
    const open = active ? [] : await openInterrupts(threadId);
    if (open.length && mine === turnCount && !runId) askPerson(showTurn(), open);
    if (active) await run(() => watchRun(active)); // from its beginning, and live
  } catch (error) {
    if (error.status !== 404 && mine === turnCount) showFailure(error);
  }
}

function isAnswer(item) {
  return item.role === "assistant" && item.metadata.visible && item.metadata.status !== "discarded" && item.content;
}

function open(id) {
  turnCount += 1;
  threadId = id;
  runId = null;
  if (named() !== id) location.hash = encodeURIComponent(id);
  clear();
  at("hint").hidden = false;
  view.spent.textContent = "";
  total.known = false;
  showError("");
  showRunning(false);
  return showHistory();
}

/** The conversation that the address names; none where it is no legal text. */
function named() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
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
  useKey(at("key").value.trim());
  at("key-form").hidden = true;
  open(threadId);
});
addEventListener("hashchange", () => {
  const id = named();
  if (id && id !== threadId) open(id);
});
open(named() || newId());
