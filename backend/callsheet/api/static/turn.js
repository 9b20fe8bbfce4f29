// One run on the page. What models wrote is only ever put in as text.

import { billed, billOf, said } from "./cost.js";
import { showFile, showSource, showSources, showSteps } from "./shown.js";
import { fillTable, stageBills } from "./spending.js";

/** Applies the events of one run to one <article>. */
export class Turn {
  constructor(article, showError) {
    this.article = article;
    this.showError = showError;
    this.part = (name) => article.querySelector(`.${name}`);
    this.agents = new Map();
    this.steps = new Map();
    this.printing = new Map(); // what programs write, by the activity
    this.texts = new Map();
    this.own = ""; // the bill of the last text
    this.brokeOff = false; // the run can be gone on with
    this.waitsFor = []; // interrupts
  }

  step(id, title, tag = "div") {
    const box = document.createElement("div");
    const name = document.createElement("b");
    const text = document.createElement(tag);
    name.textContent = title;
    if (tag === "div") text.dir = "auto";
    box.append(name, text);
    this.part("steps").append(box);
    this.part("work").hidden = false;
    this.steps.set(id, text);
  }

  /** A call's result; one that did not go well is marked. */
  result(id, content, status) {
    const text = this.steps.get(id);
    if (!text) return;
    text.append(`\n= ${content}`);
    if (status && status !== "ok") text.parentElement.dataset.state = status;
  }

  /** What a tool shows beside its result. */
  activity({ activityType, messageId, content }) {
    switch (activityType) {
      case "callsheet.cost": return this.spending(content);
      case "callsheet.todo": return showSteps(this.article, content);
      case "callsheet.artifact": return showFile(this.article, content, this.showError);
      case "callsheet.sources": return showSources(this.article, content.sources);
      case "callsheet.output":
        this.printing.set(messageId, content.toolCallId);
        for (const chunk of content.chunks) this.printed(content.toolCallId, chunk);
    }
  }

  /** What is added to such an activity. */
  more({ activityType, messageId, patch }) {
    for (const { op, value } of patch) {
      if (op !== "add") continue;
      if (activityType === "callsheet.sources") showSource(this.article, value);
      if (activityType === "callsheet.output") this.printed(this.printing.get(messageId), value);
    }
  }

  printed(id, { stream, text }) {
    const call = this.steps.get(id);
    if (!call) return;
    let last = call.parentElement.lastElementChild;
    if (last.dataset.stream !== stream) {
      last = document.createElement("samp");
      last.dataset.stream = stream;
      call.parentElement.append(last);
    }
    last.append(text);
  }

  /** Each message has a paragraph of its own; the first one's is there already. */
  say(id, text) {
    if (!this.texts.has(id)) {
      const last = [...this.article.querySelectorAll(".answer")].at(-1);
      const own = this.texts.size ? last.cloneNode(false) : last;
      if (own !== last) last.after(own);
      this.texts.set(id, own);
    }
    this.texts.get(id).append(text);
  }

  /** What was said and is taken back goes; the snapshot has all that still stands. */
  correct(messages) {
    const kept = new Set(messages.map((message) => message.id));
    for (const [id, paragraph] of this.texts) if (!kept.has(id)) paragraph.textContent = "";
  }

  stage(name, state) {
    const known = [...this.part("stages").children].find((item) => item.dataset.name === name);
    const item = known || document.createElement("li");
    if (!known) {
      const spent = document.createElement("span");
      spent.className = "spent";
      item.append(name, spent);
      item.dataset.name = name;
      this.part("stages").append(item);
    }
    item.dataset.state = state;
    this.nameStage(item);
  }

  nameStage(item) {
    const { name, state } = item.dataset;
    const spent = item.querySelector(".spent").textContent;
    item.setAttribute("aria-label", `${name}: ${state === "now" ? "working" : state}${spent && `, ${spent}`}`);
  }

  /** What was spent so far, by stage and agent. */
  spending(content) {
    fillTable(this.part("costs"), content);
    this.part("work").hidden = false;
    for (const [name, spent] of stageBills(content)) {
      const item = [...this.part("stages").children].find((stage) => stage.dataset.name === name);
      if (!item) continue;
      item.querySelector(".spent").textContent = spent;
      this.nameStage(item);
    }
  }

  /** A message's own bill, on the event that ends it: beside its step, or for the answer. */
  message(id, own) {
    if (own.inputTokens === undefined) return;
    const text = billed(own);
    const name = this.steps.get(id)?.previousSibling;
    if (!name) { this.own = text; this.part("bill").textContent = text; return; }
    const spent = document.createElement("span");
    spent.className = "spent";
    spent.textContent = [text, own.model].filter(Boolean).join(" · ");
    name.append(" ", spent);
  }

  bill(event) {
    const tokens = (event.usage || []).reduce((sum, used) => sum + (used.totalTokens || 0), 0);
    const { cost, currency, unpriced } = event.metadata?.callsheet || {};
    this.part("bill").textContent = billOf(said(tokens, cost, currency, unpriced), this.own);
  }

  end(event) {
    this.bill(event);
    for (const item of this.part("stages").children) if (item.dataset.state === "now") this.stage(item.dataset.name, "failed");
    if (event.type === "RUN_ERROR") this.showError(event.message);
    this.brokeOff = event.type === "RUN_ERROR" || event.outcome?.type === "cancelled";
    if (event.outcome?.type === "interrupt") this.waitsFor = event.outcome.interrupts;
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
      case "REASONING_MESSAGE_CONTENT": return void this.steps.get(event.messageId)?.append(event.delta);
      case "TOOL_CALL_ARGS": return void this.steps.get(event.toolCallId)?.append(event.delta);
      case "TOOL_CALL_RESULT": return this.result(event.toolCallId, event.content, own.status);
      case "REASONING_MESSAGE_END": case "TEXT_MESSAGE_END": return this.message(event.messageId, own);
      case "TOOL_CALL_END": return this.message(event.toolCallId, own);
      case "ACTIVITY_SNAPSHOT": return this.activity(event);
      case "ACTIVITY_DELTA": return this.more(event);
      case "MESSAGES_SNAPSHOT": return this.correct(event.messages);
      case "TEXT_MESSAGE_CONTENT": return this.say(event.messageId, event.delta);
      case "RUN_FINISHED": case "RUN_ERROR": return this.end(event);
    }
  }
}
