"""What was said before, for a client that comes back with nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from callsheet.agui.cost_frames import STATE_KEY
from callsheet.agui.frame import encode_one_line
from callsheet.agui.run_frames import PROTOCOL_VERSION, WireIds

MOST_BYTES: Final = 8_000_000
"""Of texts in one snapshot, as JSON spells them; some readers take no frame over 10 MB."""


class Said(Protocol):
    """A message as it was shown."""

    @property
    def id(self) -> UUID: ...

    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...

    @property
    def raw_id(self) -> str | None: ...


def messages_snapshot(messages: Sequence[Said]) -> dict[str, Any]:
    """MESSAGES_SNAPSHOT; the oldest are left out where they are too much for one frame."""
    room = MOST_BYTES
    kept: list[dict[str, Any]] = []
    for message in reversed(messages):
        room -= len(encode_one_line(message.content))
        if room < 0:
            break
        kept.append(
            {
                "id": message.raw_id or str(message.id),
                "role": message.role,
                "content": message.content,
            }
        )
    return {"type": "MESSAGES_SNAPSHOT", "messages": kept[::-1]}


def at_rest(ids: WireIds, messages: Sequence[Said], session: dict[str, Any]) -> bytes:
    """A whole stream for a session in which nothing is under way: begin, history, state, end.

    No frame has an id: none of it is in a journal. `session` is the session's part of the state.
    """
    envelope = {"threadId": ids.thread_id, "runId": ids.run_id}
    events = (
        {"type": "RUN_STARTED", **envelope, "protocolVersion": PROTOCOL_VERSION},
        messages_snapshot(messages),
        {"type": "STATE_SNAPSHOT", "snapshot": {STATE_KEY: {"session": session}}},
        {"type": "RUN_FINISHED", **envelope},
    )
    return b"".join(b"data: %b\n\n" % encode_one_line(event) for event in events)
