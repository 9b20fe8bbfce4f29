"""What a line typed at the prompt says to a run that waits; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from callsheet.events.interrupt import Interrupt, InterruptReason
from callsheet.interrupts.answer import Answer, GivenAnswer
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.judge import Given
from callsheet.kit.json import encode

_YES: Final = frozenset({"y", "yes", "是", "好"})
_NO: Final = frozenset({"n", "no", "不", "否"})


def answers_in(line: str, asked: Sequence[InterruptRecord]) -> Given | None:
    """The answer that the line gives; None where it is no answer, but a new message.

    One question takes any line, an approval yes or no. Where several things are asked at once the
    terminal has no way to answer them.
    """
    if len(asked) != 1:
        return None
    [interrupt] = asked
    payload = _payload(line.strip(), interrupt.reason, interrupt.detail)
    if payload is None:
        return None
    given = GivenAnswer(str(interrupt.id), Answer("resolved", payload), "answer")
    return Given((given,))


def told(interrupt: Interrupt) -> str:
    """What is asked, with what has to be known to answer it."""
    choices = [c for q in _questions(interrupt.detail) for c in q.get("choices", ())]
    if choices:
        return f"{interrupt.message} ({' / '.join(map(str, choices))})"
    if interrupt.reason == "approval":
        arguments = encode(interrupt.detail.get("arguments", {})).decode()
        return f"{interrupt.message} {arguments} (yes / no)"
    return f"{interrupt.message} (yes / no)" if interrupt.reason == "budget" else interrupt.message


def yes_or_no(line: str) -> bool | None:
    """What the line says; None where it is neither."""
    word = line.strip().lower()
    return True if word in _YES else False if word in _NO else None


def _payload(
    line: str, reason: InterruptReason, detail: Mapping[str, Any]
) -> dict[str, Any] | None:
    if reason == "question":
        return {"answers": [line]} if len(_questions(detail)) == 1 else None
    said = yes_or_no(line)
    if said is None:
        return None
    return {"approved" if reason == "approval" else "extend": said}


def _questions(detail: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    questions: Sequence[dict[str, Any]] = detail.get("questions", ())
    return questions
