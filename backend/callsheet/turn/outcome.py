"""How a turn ended."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.events.interrupt import Interrupt


@dataclass(frozen=True, slots=True)
class Answered:
    """With an answer; `message_id` is the visible message, None where the answer is empty."""

    text: str
    message_id: str | None


@dataclass(frozen=True, slots=True)
class Failed:
    """Without one. `message` may be shown to the user."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Somebody stopped it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Not yet: it needs these answers to go on."""

    interrupts: tuple[Interrupt, ...]


TurnOutcome = Answered | Failed | Cancelled | Waiting
