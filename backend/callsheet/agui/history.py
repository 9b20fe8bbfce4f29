"""What was said before, for a client that comes back with nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from callsheet.agui.cost_frames import STATE_KEY
from callsheet.agui.frame import encode_one_line
from callsheet.agui.run_frames import PROTOCOL_VERSION, WireIds
from callsheet.agui.todo_activity import todo_snapshot
from callsheet.todos.todo_list import TodoList

MOST_BYTES: Final = 8_000_000
"""Of one snapshot; some readers take no frame over 10 MB."""


class Said(Protocol):
    """A message as it was shown; `tool_call_id` is the call that a tool's message answers."""

    @property
    def id(self) -> UUID: ...

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...

    @property
    def raw_id(self) -> str | None: ...

    @property
    def tool_calls(self) -> Sequence[Mapping[str, str]]: ...

    @property
    def tool_call_id(self) -> str | None: ...


def messages_snapshot(messages: Sequence[Said]) -> dict[str, Any]:
    """MESSAGES_SNAPSHOT; the oldest are left out where they are too much for one frame."""
    room = MOST_BYTES
    kept: list[dict[str, Any]] = []
    for message in reversed(messages):
        spelled = _message(message)
        room -= len(encode_one_line(spelled))
        if room < 0:
            break
        kept.append(spelled)
    return {"type": "MESSAGES_SNAPSHOT", "messages": kept[::-1]}


def _message(message: Said) -> dict[str, Any]:
    """With the id that it was, or would have been, streamed with."""
    spelled: dict[str, Any] = {"id": message.raw_id or str(message.id), "role": message.role}
    if message.content or not message.tool_calls:
        spelled["content"] = message.content
    if message.tool_call_id is not None:
        spelled["toolCallId"] = message.tool_call_id
    if message.tool_calls:
        spelled["toolCalls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in message.tool_calls
        ]
    return spelled


def from_before(messages: Sequence[Said], todo: TodoList | None) -> tuple[dict[str, Any], ...]:
    """What was said, and the todo list beside it.

    A list that stood among the messages would tell clients that these are all the activities
    there are.
    """
    beside = () if todo is None else (todo_snapshot(todo),)
    return (messages_snapshot(messages), *beside)


def at_rest(ids: WireIds, before: Sequence[dict[str, Any]], session: dict[str, Any]) -> bytes:
    """A whole stream for a session in which nothing is under way: begin, history, state, end.

    No frame has an id: none of it is in a journal. `before` as `from_before` gives it, `session` is
    the session's part of the state.
    """
    envelope = {"threadId": ids.thread_id, "runId": ids.run_id}
    events = (
        {"type": "RUN_STARTED", **envelope, "protocolVersion": PROTOCOL_VERSION},
        *before,
        {"type": "STATE_SNAPSHOT", "snapshot": {STATE_KEY: {"session": session}}},
        {"type": "RUN_FINISHED", **envelope},
    )
    return b"".join(b"data: %b\n\n" % encode_one_line(event) for event in events)
