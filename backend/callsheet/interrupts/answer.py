"""What somebody answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from callsheet.events.interrupt import AnswerStatus


@dataclass(frozen=True, slots=True)
class Answer:
    """`payload` is None where nothing was sent beside the status."""

    status: AnswerStatus
    payload: Any = None


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as it came: `interrupt_id` is the sender's word, `field` where it stood."""

    interrupt_id: str
    answer: Answer
    field: str


@dataclass(frozen=True, slots=True)
class GivenResult:
    """What a tool of the client gave for a call; `field` is where it stood."""

    tool_call_id: str
    content: str
    is_error: bool
    field: str
