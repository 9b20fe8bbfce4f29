"""One measured turn: what the client sees of it, and whether it is whole."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Final

import msgspec

from tests.fakes.agui_order import AgUiOrder

_STAMP: Final = re.compile(r"@(\d+) ")
_DELTAS: Final = frozenset({"TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT"})


class Event(msgspec.Struct):
    """The fields of an AG-UI event that matter here."""

    type: str
    messageId: str | None = None  # noqa: N815 - as on the wire
    toolCallId: str | None = None  # noqa: N815
    stepName: str | None = None  # noqa: N815
    subagentRunId: str | None = None  # noqa: N815
    delta: object = None  # text, or the patch of a state

    def get(self, name: str, /) -> object:
        """The field of that name."""
        return getattr(self, name, None)


_decode = msgspec.json.Decoder(Event).decode


@dataclass(slots=True)
class Turn:
    """Times in ms since the request was written; `lags_ms`: from the provider's write to here."""

    began_s: float = field(default_factory=time.perf_counter)
    first_ms: float | None = None
    whole_ms: float | None = None
    events: int = 0
    lags_ms: list[float] = field(default_factory=list)
    order: AgUiOrder = field(default_factory=AgUiOrder)
    _buffer: bytes = b""
    _texts: list[str] = field(default_factory=list)

    def feed(self, data: bytes) -> None:
        """Take what was read from the socket."""
        *frames, self._buffer = (self._buffer + data).split(b"\n\n")
        now_ns = time.monotonic_ns()
        for frame in frames:
            start = frame.find(b"data: ")
            if start < 0:
                continue
            event = _decode(frame[start + 6 :])
            self.events += 1
            self.order.feed(event.type, event)
            if event.type in _DELTAS and isinstance(event.delta, str) and event.delta:
                self._delta(event.delta, now_ns)

    def _delta(self, text: str, now_ns: int) -> None:
        if self.first_ms is None:
            self.first_ms = (time.perf_counter() - self.began_s) * 1000
        self._texts.append(text)
        if "@" in text:
            self.lags_ms += [(now_ns - int(stamp)) / 1e6 for stamp in _STAMP.findall(text)]

    def finish(self, *, chunks: int, stages: int = 3) -> list[str]:
        """Note the end, and say what was wrong: order, end, words lost, doubled or swapped."""
        self.whole_ms = (time.perf_counter() - self.began_s) * 1000
        problems = self.order.finish()
        if self.order.ended == "RUN_ERROR":
            problems.append("RUN_ERROR")
        words = _STAMP.sub("", "".join(self._texts)).split()
        wanted = [f"w{index:05d}" for index in range(chunks)] * stages
        if words != wanted:
            problems.append(f"{len(words)} words instead of {len(wanted)}, or in another order")
        self._texts.clear()
        return problems
