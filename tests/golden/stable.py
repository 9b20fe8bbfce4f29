"""A stream without what differs each time: ids, moments, durations, where deltas were cut."""

from __future__ import annotations

import re
from typing import Any, Final

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_KINDS: Final = {
    "threadId": "thread",
    "sessionId": "session",
    "runId": "run",
    "parentRunId": "run",
    "messageId": "message",
    "parentMessageId": "message",
    "messages": "message",
    "toolCallId": "call",
    "parentToolCallId": "call",
    "pendingToolCallIds": "call",
    "toolCalls": "call",
    "subagentRunId": "agent",
    "parentSubagentRunId": "agent",
    "agentRunId": "agent",
    "interrupts": "interrupt",
    "interruptId": "interrupt",
}
_FIXED: Final[dict[str, Any]] = {
    "traceId": "trace",
    "latencyMs": 0,
    "revision": "revision",
    "expiresAt": "2026-01-01T00:00:00Z",
}
_JOINED: Final = {
    "TEXT_MESSAGE_CONTENT": "messageId",
    "REASONING_MESSAGE_CONTENT": "messageId",
    "TOOL_CALL_ARGS": "toolCallId",
}


class Stable:
    """Gives the same name to the same id, in the order in which ids are met."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def events(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The events with adjacent deltas joined; the place in the list is the timestamp."""
        joined: list[dict[str, Any]] = []
        for event in events:
            field = _JOINED.get(event["type"])
            last = joined[-1] if joined else {}
            if field and last.get("type") == event["type"] and last.get(field) == event[field]:
                joined[-1] = {**event, "delta": last["delta"] + event["delta"]}
            else:
                joined.append(event)
        stable: list[dict[str, Any]] = []
        for place, event in enumerate(joined):
            named = self.value(event)
            if "timestamp" in named:
                named["timestamp"] = place
            stable.append(named)
        return stable

    def value(self, value: Any, key: str = "") -> Any:
        """Any part of it."""
        if isinstance(value, dict):
            return {
                name: _FIXED[name]
                if name in _FIXED and item is not None
                else self.value(item, key if name == "id" else name)
                for name, item in value.items()
            }
        if isinstance(value, list):
            return [self.value(item, key) for item in value]
        if isinstance(value, str) and _UUID.fullmatch(value):
            return self._name(value, _KINDS.get(key, key or "id"))
        return value

    def _name(self, value: str, kind: str) -> str:
        known = self._names.get(value)
        if known is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            known = self._names[value] = f"{kind}-{self._counts[kind]}"
        return known
