"""Server-sent-event frames as the official client reads them: LF only, one JSON object each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from callsheet.agui.fitting import MOST_BYTES, fitted, pieces
from callsheet.agui.place import Place, seen_of
from callsheet.events.entry import Entry
from callsheet.kit.json import encode

Writers = dict[type[Any], Callable[[Any], None]]

PING: Final = b": ping\n\n"

# Readers that split text into lines by Unicode's rules would cut a frame at these.
_LINE_ENDS: Final = (
    (b"\xc2\x85", b"\\u0085"),
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
)


def encode_one_line(value: Any) -> bytes:
    """Strict JSON without anything that some reader takes for the end of a line."""
    data = encode(value)
    if data.isascii():
        return data
    for raw, escaped in _LINE_ENDS:
        data = data.replace(raw, escaped)
    return data


class FrameWriter:
    """Writes the frames of one run's entries.

    A frame's id is `<run id>:<seq>.<n>`: `n` counts the frames of one entry from 1, so that the
    same journal gives the same ids every time. Timestamps are milliseconds and never go back.
    Frames up to and with `after` are counted and not written.
    """

    def __init__(self, run_id: str, after: Place | None = None) -> None:
        self._after = after
        self._seen = 0
        self._head = f"id: {run_id}:".encode()
        self._frames: list[bytes] = []
        self._metadata: dict[str, Any] = {}
        self._tail = b"}\n\n"
        self._prefix = self._head
        self._n = 0
        self._millis = 0

    def trace(self, trace_id: str) -> None:
        """From here on each frame carries the trace id in its metadata."""
        self._metadata = {"traceId": trace_id}
        self._tail = b',"metadata":' + encode({"callsheet": self._metadata}) + b"}\n\n"

    def begin(self, entry: Entry) -> None:
        """The frames that follow are of this entry."""
        self._n = 0
        self._seen = seen_of(entry.seq, self._after)
        self._prefix = b"%b%d." % (self._head, entry.seq)
        self._millis = max(self._millis, int(entry.at.timestamp() * 1000))

    def put(
        self,
        event: dict[str, Any],
        callsheet: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Write one event; `callsheet` goes beside the trace id, `metadata` beside `callsheet`."""
        own = {**self._metadata, **(callsheet or {})}
        whole = {**(metadata or {}), "callsheet": own} if own else metadata
        body = {**event, "timestamp": self._millis}
        if whole:
            body["metadata"] = whole
        self._n += 1
        if self._n <= self._seen:
            return
        data = encode_one_line(body)
        if len(data) > MOST_BYTES:
            data = encode_one_line(fitted(body))
        self._frames.append(b"%b%d\ndata: %b\n\n" % (self._prefix, self._n, data))

    def put_delta(self, opening: bytes, text: str) -> None:
        """Write one delta: `opening` is the event's JSON up to and with `"delta":`."""
        for piece in pieces(text):
            self._n += 1
            if self._n <= self._seen:
                continue
            self._frames.append(
                b'%b%d\ndata: %b%b,"timestamp":%d%b'
                % (self._prefix, self._n, opening, encode_one_line(piece), self._millis, self._tail)
            )

    def pass_over(self) -> None:
        """Count one frame that this viewer has in another form."""
        self._n += 1

    def put_beside(self, event: dict[str, Any]) -> None:
        """Write one event that no entry stands behind; it has no time where it is the first."""
        when = {"timestamp": self._millis} if self._millis else {}
        self._frames.append(self.unnumbered({**event, **when}))

    def unnumbered(self, event: dict[str, Any]) -> bytes:
        """One frame that no entry stands behind."""
        body = {**event, "metadata": {"callsheet": self._metadata}} if self._metadata else event
        return b"data: %b\n\n" % encode_one_line(body)

    def take(self) -> bytes:
        """Everything written since the last call, as one piece."""
        data = b"".join(self._frames)
        self._frames.clear()
        return data
