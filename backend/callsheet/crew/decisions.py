"""What a person's word means for the tool call that waited for it; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import msgspec

from callsheet.events.call import RequestedTool
from callsheet.events.interrupt import InterruptAnswered
from callsheet.kit.json import encode
from callsheet.kit.text import clean
from callsheet.tools.arguments import digest_of
from callsheet.tools.invoke import ToolOutcome
from callsheet.tools.result import clipped
from callsheet.turn.record import approves

MOST_CHARS: Final = 32_000
"""Of what a client's tool gave, or a person said; the rest is cut, and says so."""

_NOT_SAID: Final = "The user would not answer. Go on without it, or say what cannot be done."
_NOT_RUN: Final = "The client gave no result for this call. Go on without it."
_NOT_ALLOWED: Final = "The user did not allow this call. Do not make it again unless they ask."


@dataclass(frozen=True, slots=True)
class Go:
    """The call may be made, as it stands here; `note` is for the model, behind the result."""

    call: RequestedTool
    note: str = ""


def decided(call: RequestedTool, said: InterruptAnswered) -> Go | ToolOutcome:
    """What to do with the call now."""
    payload = said.payload if isinstance(said.payload, dict) else {}
    if said.reason == "client_tool":
        return _from_client(call, said, payload)
    if said.reason == "approval":
        return _allowed(call, said, payload)
    if said.status == "cancelled":
        return _outcome(call, "rejected", _NOT_SAID)
    return _outcome(call, "ok", _text(said.payload))


def noted(outcome: ToolOutcome, note: str) -> ToolOutcome:
    """The outcome with a note behind it."""
    return replace(outcome, content=f"{outcome.content}\n{note}") if note else outcome


def _from_client(
    call: RequestedTool, said: InterruptAnswered, payload: dict[str, Any]
) -> ToolOutcome:
    if said.status == "cancelled":
        return _outcome(call, "error", _NOT_RUN)
    failed = payload.get("isError") is True
    return _outcome(call, "error" if failed else "ok", _text(payload.get("content", "")))


def _allowed(
    call: RequestedTool, said: InterruptAnswered, payload: dict[str, Any]
) -> Go | ToolOutcome:
    comment = payload.get("comment")
    told = f" They say: {comment}" if comment else ""
    as_is = Go(call, f"The user allowed this call.{told}" if told else "")
    if not approves(said):
        return _outcome(call, "rejected", _NOT_ALLOWED + told)
    edited = payload.get("arguments")
    if not isinstance(edited, dict):
        return as_is
    text = encode(edited).decode()
    if digest_of(text) == digest_of(call.arguments):
        return as_is
    note = f"The user changed the arguments before allowing the call, to {text}.{told}"
    return Go(msgspec.structs.replace(call, arguments=text), note)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _outcome(
    call: RequestedTool, status: Literal["ok", "error", "rejected"], content: str
) -> ToolOutcome:
    return ToolOutcome(
        status=status,
        content=clipped(clean(content), max_chars=MOST_CHARS),
        latency_ms=0,
        args_digest=digest_of(call.arguments),
    )
