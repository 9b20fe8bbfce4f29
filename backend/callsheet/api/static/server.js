// Talking to the server: ids, requests, and the frames of a stream.

export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function useKey(key) {
  sessionStorage.setItem("key", key);
}

/** The answer; an error has the problem's detail and the HTTP `status`. */
export async function call(path, body, accept = "application/json") {
  const headers = { Accept: accept };
  const key = sessionStorage.getItem("key");
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail || `The server answered ${answer.status}.`), { status: answer.status });
}

export function startTurn(threadId, text) {
  const messages = [{ id: newId(), role: "user", content: text }];
  return call("v1/agent-chat", { protocolVersion: "1.0", threadId, runId: newId(), messages }, "text/event-stream");
}

/** A new run that goes on with these answers. */
export function answerRun(threadId, resume) {
  return call("v1/agent-chat", { protocolVersion: "1.0", threadId, runId: newId(), messages: [], resume }, "text/event-stream");
}

/** What the session's last run waits for. */
export async function openInterrupts(threadId) {
  return (await (await call(`v1/interrupts?limit=200&sessionId=${encodeURIComponent(threadId)}`)).json()).items.reverse();
}

/** Stops the run; where its id is not known yet, whatever runs in the session. */
export function stopTurn(threadId, runId) {
  return call(runId ? `v1/runs/${encodeURIComponent(runId)}/cancel` : `${pathOf(threadId)}/cancel`, {});
}

export async function readSession(threadId) {
  return (await call(pathOf(threadId))).json();
}

export async function readMessages(threadId) {
  const items = [];
  for (let cursor = ""; cursor !== null;) {
    const more = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const page = await (await call(`${pathOf(threadId)}/messages?limit=200${more}`)).json();
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** The list of steps as it stands; null where there is none, or it was put away. */
export async function readSteps(threadId) {
  const answer = await call(`${pathOf(threadId)}/todo-list`);
  const list = answer.status === 200 ? await answer.json() : null;
  return list?.status === "archived" ? null : list;
}

/** The newest files of the session, the oldest of them first. */
export async function readFiles(threadId) {
  return (await (await call(`${pathOf(threadId)}/artifacts?limit=200`)).json()).items.reverse();
}

/** The run's stream once more, from behind the frame with the id `after`. */
export function watchRun(runId, after) {
  const from = after ? `?after=${encodeURIComponent(after)}` : "";
  return call(`v1/runs/${encodeURIComponent(runId)}/events${from}`, undefined, "text/event-stream");
}

/** A new run that goes on where this one broke off. */
export function continueRun(runId) {
  return call(`v1/runs/${encodeURIComponent(runId)}/continue`, { protocolVersion: "1.0" }, "text/event-stream");
}

/** The session's run that is under way; none where nothing is. */
export async function activeRun(threadId) {
  const [last] = (await (await call(`${pathOf(threadId)}/runs?limit=1`)).json()).items;
  return last && ["queued", "running"].includes(last.status) ? last.id : null;
}

/** The frames of a stream: `id` is empty where it is in no journal. */
export async function* framesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const lines = frame.split("\n");
      const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      const id = lines.find((line) => line.startsWith("id: "))?.slice(4) || "";
      if (data.length) yield { id, event: JSON.parse(data.join("\n")) };
    }
  }
}

function pathOf(threadId) {
  return `v1/sessions/${encodeURIComponent(threadId)}`;
}
