"""What a tool's own model calls were booked on."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.events.usage import Bill


@dataclass(frozen=True, slots=True)
class Booked:
    """The message that they opened, which is that of the tool's result; `bill`: their cost so far.

    `bill` None: none of them was let begin.
    """

    message_id: str
    bill: Bill | None
