// Answers what a run waits for, as a frontend does, with the official client of one generation.
//   node official_answers.mjs <npm folder> '{"url": ..., "text": ..., "payload": ..., "tools": [...], "result": ...}'
// Prints what the client made of it: {"turns": [...], "messages": [...], "complaints": [...]}.
import { createRequire } from "node:module";
import { randomUUID } from "node:crypto";
import path from "node:path";

const [folder, given] = process.argv.slice(2);
const asked = JSON.parse(given);
const { HttpAgent } = createRequire(path.resolve(folder, "any.js"))("@ag-ui/client");

const complaints = [];
for (const level of ["log", "warn", "error"]) {
  console[level] = (...said) => complaints.push(`${level}: ${said.map(String).join(" ")}`.slice(0, 300));
}

async function turn(agent, more) {
  const seen = { calls: [], results: [], interrupts: [], pending: null, rejected: null, error: null };
  try {
    await agent.runAgent({ runId: randomUUID(), tools: asked.tools ?? [], ...more }, {
      onToolCallStartEvent: ({ event }) => { seen.calls.push(event.toolCallId); },
      onToolCallResultEvent: ({ event }) => { seen.results.push(event.toolCallId); },
      onRunFinishedEvent: ({ event }) => {
        seen.interrupts = event.outcome?.interrupts ?? [];
        seen.pending = event.outcome?.pendingToolCallIds ?? null;
      },
      onRunErrorEvent: ({ event }) => { seen.error = event.code; },
    });
  } catch (error) {
    seen.rejected = String(error.message);
  }
  return seen;
}

const agent = new HttpAgent({ url: asked.url, threadId: randomUUID() });
agent.messages.push({ id: randomUUID(), role: "user", content: asked.text });
const first = await turn(agent, {});
let more = {};
if (first.interrupts.length) {
  more = { resume: first.interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: asked.payload })) };
} else {
  for (const call of first.calls.filter((id) => !first.results.includes(id))) {
    agent.messages.push({ id: randomUUID(), role: "tool", toolCallId: call, content: asked.result });
  }
}
const second = await turn(agent, more);
process.stdout.write(JSON.stringify({ turns: [first, second], messages: agent.messages, complaints }));
