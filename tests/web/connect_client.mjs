// Comes back to a session with nothing in hand, with the official client of one generation.
//   node connect_client.mjs <npm folder> '{"url": <.../connect>, "threadId": ..., "headers": {...}}'
// Writes "live" to standard error once text of the run under way has come; prints, at the run's end,
// {"messages": [...], "state": ..., "events": {<type>: <count>}, "rejected": ..., "complaints": [...]}.
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

class Connecting extends HttpAgent {
  requestInit(input) {
    const { body, ...rest } = super.requestInit(input);
    return { ...rest, method: "GET" };
  }
}

const agent = new Connecting({ url: asked.url, headers: asked.headers ?? {}, threadId: asked.threadId });
const events = {};
let rejected = null;
try {
  await agent.runAgent({ runId: randomUUID() }, {
    onEvent: ({ event }) => {
      events[event.type] = (events[event.type] ?? 0) + 1;
      if (event.type === "TEXT_MESSAGE_CONTENT" && events[event.type] === 1) process.stderr.write("live\n");
    },
  });
} catch (error) {
  rejected = String(error.message);
}
process.stdout.write(JSON.stringify({ messages: agent.messages, state: agent.state, events, rejected, complaints }));
