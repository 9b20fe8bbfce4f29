// Replays streams to the official client of one generation, each to an agent of its own.
//   node official_streams.mjs <npm folder> '{"urls": {"name": "http://...", ...}}'
// Prints what the client made of them: {"streams": {"name": {"messages": [...], ...}}, "complaints": [...]}.
import { createRequire } from "node:module";
import path from "node:path";

const [folder, given] = process.argv.slice(2);
const asked = JSON.parse(given);
const { HttpAgent } = createRequire(path.resolve(folder, "any.js"))("@ag-ui/client");

const complaints = [];
for (const level of ["log", "warn", "error"]) {
  console[level] = (...said) => complaints.push(`${level}: ${said.map(String).join(" ")}`.slice(0, 300));
}

async function replay(url) {
  const agent = new HttpAgent({ url, threadId: "thread-1" });
  const seen = { events: 0, runError: null, rejected: null };
  try {
    await agent.runAgent({ runId: "run-1" }, {
      onEvent: () => { seen.events += 1; },
      onRunErrorEvent: ({ event }) => { seen.runError = event.code; },
    });
  } catch (error) {
    seen.rejected = String(error.message);
  }
  return { ...seen, messages: agent.messages };
}

const streams = {};
for (const [name, url] of Object.entries(asked.urls)) streams[name] = await replay(url);
process.stdout.write(JSON.stringify({ streams, complaints }));
