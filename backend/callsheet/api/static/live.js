// A run to its end, over as many connections as it takes: the run does not depend on any of them.

import { framesOf, watchRun } from "./server.js";

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
const TRIES = 20; // in a row without anything new

/** Each event once. `lost` is told whether the connection is lost at this moment. */
export async function* followed(answer, runId, lost) {
  let last = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      answer ??= await watchRun(runId, last);
      if (answer.status === 204) return;
      for await (const { id, event } of framesOf(answer)) {
        if (!id) break; // this view ends; the run may go on
        lost(false);
        last = id;
        tries = 0;
        yield event;
        if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") return;
      }
    } catch (error) {
      if (error.status && error.status !== 503) throw error;
    }
    answer = null;
    lost(true);
    await new Promise((go) => setTimeout(go, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries)));
  }
  throw new Error("The connection was lost. The run goes on; reload to see its answer.");
}
