"""What AG-UI's clients demand of the order of a run's events."""

from __future__ import annotations

from typing import Final, Protocol

_OPENS: Final = {
    "TEXT_MESSAGE_START": ("text", "messageId"),
    "REASONING_START": ("reasoning", "messageId"),
    "REASONING_MESSAGE_START": ("reasoning message", "messageId"),
    "TOOL_CALL_START": ("tool call", "toolCallId"),
    "STEP_STARTED": ("step", "stepName"),
    "SUBAGENT_STARTED": ("subagent", "subagentRunId"),
}
_CONTINUES: Final = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId"),
    "REASONING_MESSAGE_CONTENT": ("reasoning message", "messageId"),
    "TOOL_CALL_ARGS": ("tool call", "toolCallId"),
}
_CLOSES: Final = {
    "TEXT_MESSAGE_END": ("text", "messageId"),
    "REASONING_END": ("reasoning", "messageId"),
    "REASONING_MESSAGE_END": ("reasoning message", "messageId"),
    "TOOL_CALL_END": ("tool call", "toolCallId"),
    "STEP_FINISHED": ("step", "stepName"),
    "SUBAGENT_FINISHED": ("subagent", "subagentRunId"),
    "SUBAGENT_ERROR": ("subagent", "subagentRunId"),
}
TERMINAL: Final = frozenset({"RUN_FINISHED", "RUN_ERROR"})
_ONCE: Final = frozenset({"text", "tool call", "subagent", "reasoning message"})


class Fields(Protocol):
    """An event's fields by their wire names; None where absent."""

    def get(self, name: str, /) -> object: ...


class AgUiOrder:
    """Feed it every event of one run; `breaches` says in words what was wrong."""

    __slots__ = ("_began", "_open", "_used", "breaches", "ended")

    def __init__(self) -> None:
        self._began = False
        self._open: set[tuple[str, object]] = set()
        self._used: set[tuple[str, object]] = set()
        self.ended: str | None = None
        self.breaches: list[str] = []

    def feed(self, kind: str, event: Fields) -> None:
        """Take one event; call `finish` after the last."""
        if self.ended is not None:
            self.breaches.append(f"{kind} after {self.ended}")
        if not self._began and kind not in {"RUN_STARTED", "RUN_ERROR"}:
            self.breaches.append(f"{kind} before RUN_STARTED")
        if kind in _CONTINUES:
            self._continue(kind, event)
        elif kind in _OPENS:
            self._begin(kind, event)
        elif kind in _CLOSES:
            self._close(kind, event)
        elif kind == "RUN_STARTED":
            if self._began:
                self.breaches.append("RUN_STARTED twice")
            self._began = True
        elif kind in TERMINAL:
            self.ended = kind
            if self._open:
                self.breaches.append(f"{kind} with open {sorted(name for name, _ in self._open)}")

    def finish(self) -> list[str]:
        """All breaches, a missing end among them."""
        if self.ended is None:
            self.breaches.append("no terminal event")
        return self.breaches

    def _begin(self, kind: str, event: Fields) -> None:
        what, field = _OPENS[kind]
        key = (what, event.get(field))
        if key in self._open:
            self.breaches.append(f"{kind} of an open {what}")
        if key in self._used and what in _ONCE:
            self.breaches.append(f"{kind} of a {what} that was used before")
        self._open.add(key)
        self._used.add(key)

    def _continue(self, kind: str, event: Fields) -> None:
        what, field = _CONTINUES[kind]
        if (what, event.get(field)) not in self._open:
            self.breaches.append(f"{kind} without an open {what}")
        if not event.get("delta"):
            self.breaches.append(f"{kind} without a delta")

    def _close(self, kind: str, event: Fields) -> None:
        what, field = _CLOSES[kind]
        key = (what, event.get(field))
        if key not in self._open:
            self.breaches.append(f"{kind} without an open {what}")
        self._open.discard(key)
