"""What a client asks for: a RunAgentInput, checked and reduced to what the server uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from callsheet.interrupts.judge import NOTHING_GIVEN, Given

Protocol = Literal["0.x", "1.0"]
OnDisconnect = Literal["detach", "cancel"]


@dataclass(frozen=True, slots=True)
class RunInput:
    """One parsed request.

    `session_id`, `run_id` and `message_id` are ours; the `raw_` ones are the client's spelling,
    which it gets back. `text` is the new message (the last user message), storable; `sanitized`
    says that something in it was replaced. The other messages of the request are not here:
    the history is the server's own. `on_disconnect` is what the client wants of a run that nobody
    looks at any more. `given` are answers to what a run waits for; only with these `text` may be
    empty, where no user has said anything. `is_said_last`: the message is the last one, so that it
    may be new.
    """

    protocol: Protocol
    session_id: UUID
    raw_thread_id: str
    run_id: UUID
    raw_run_id: str
    message_id: UUID
    raw_message_id: str
    text: str
    sanitized: bool = False
    parent_run_id: UUID | None = None
    raw_parent_run_id: str | None = None
    tools: tuple[dict[str, Any], ...] = ()
    context: tuple[dict[str, Any], ...] = ()
    state: Any = None
    forwarded_props: Any = None
    on_disconnect: OnDisconnect | None = None
    given: Given = NOTHING_GIVEN
    is_said_last: bool = True


@dataclass(frozen=True, slots=True)
class ContinuationInput:
    """What a client says of a run that goes on from another; its ids as in `RunInput`."""

    protocol: Protocol
    run_id: UUID
    raw_run_id: str
    state: Any = None
