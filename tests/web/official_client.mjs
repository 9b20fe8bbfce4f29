// Talks to a server as a frontend does, with the official client of one generation.
//   node official_client.mjs <npm folder> '{"url": ..., "headers": {...}, "threads": [["text", ...], ...], "state": ...}'
// Prints what the client made of it: {"threads": [{"turns": [...], "messages": [...], "state": ...}], "complaints": [...]}.
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

async function turn(agent, text) {
  agent.messages.push({ id: randomUUID(), role: "user", content: text });
  const seen = { events: {}, outcome: null, runError: null, rejected: null };
  try {
    await agent.runAgent({ runId: randomUUID() }, {
      onEvent: ({ event }) => { seen.events[event.type] = (seen.events[event.type] ?? 0) + 1; },
      onRunFinishedEvent: ({ event, outcome }) => { seen.outcome = outcome ?? "success"; seen.usage = event.usage; },
      onRunErrorEvent: ({ event }) => { seen.runError = { code: event.code, message: event.message }; },
    });
  } catch (error) {
    seen.rejected = String(error.message);
  }
  return seen;
}

async function thread(texts) {
  const agent = new HttpAgent({ url: asked.url, headers: asked.headers, threadId: randomUUID(), initialState: asked.state });
  const turns = [];
  for (const text of texts) turns.push(await turn(agent, text));
  return { turns, messages: agent.messages, state: agent.state };
}

const threads = await Promise.all(asked.threads.map(thread));
process.stdout.write(JSON.stringify({ threads, complaints }));
