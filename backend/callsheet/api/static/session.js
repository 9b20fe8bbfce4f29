// The session's total as the server keeps it in the client's state, under the key `callsheet`.

/** Applies the state events of a stream; `show` is told the total whenever it changes. */
export class SessionTotal {
  constructor(show) {
    this.show = show;
    this.known = false; // whether a stream has told of it
  }

  apply(event) {
    if (event.type === "STATE_SNAPSHOT") this.take(event.snapshot?.callsheet);
    if (event.type !== "STATE_DELTA") return;
    for (const change of event.delta) if (change.path === "/callsheet") this.take(change.value);
  }

  take(ours) {
    if (!ours?.session) return;
    this.known = true;
    this.show(ours.session);
  }
}
