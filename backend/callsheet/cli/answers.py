"""What a line typed at the prompt says to a run that waits; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callsheet.events.interrupt import Interrupt, InterruptReason
from callsheet.interrupts.answer import Answer, GivenAnswer
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.judge import Given
from callsheet.kit.json import encode
from callsheet.tools.pause import LONGEST_COMMENT
from callsheet.workflows.tools_file import REQUEST_PLAN

_YES: Final = frozenset({"y", "yes", "是", "好"})
_BETWEEN: Final = re.compile("[;；]")
_BEHIND: Final = re.compile("[,:;，：；]")
_NO: Final = frozenset({"n", "no", "不", "否"})


def answers_in(line: str, asked: Sequence[InterruptRecord]) -> Given | None:
    """The answer that the line gives; None where it is no answer, but a new message.

    One question takes any line, several as many texts as they are, with `;` between them; an
    approval yes or no, with a comma and what the model is to be told behind it where there is
    something to say. Where several things are asked at once the terminal has no way to answer them.
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
    if len(_questions(interrupt.detail)) > 1:
        return _several(_questions(interrupt.detail))
    if choices:
        return f"{interrupt.message} ({' / '.join(map(str, choices))})"
    if interrupt.reason == "approval":
        return _approval(interrupt)
    return f"{interrupt.message} (yes / no)" if interrupt.reason == "budget" else interrupt.message


def yes_or_no(line: str) -> bool | None:
    """What the line says; None where it is neither."""
    word = line.strip().lower()
    return True if word in _YES else False if word in _NO else None


def _payload(
    line: str, reason: InterruptReason, detail: Mapping[str, Any]
) -> dict[str, Any] | None:
    if reason == "question":
        count = len(_questions(detail))
        texts = [line] if count == 1 else [text.strip() for text in _BETWEEN.split(line)]
        return {"answers": texts} if len(texts) == count and all(texts) else None
    if reason == "budget":
        said = yes_or_no(line)
        return None if said is None else {"extend": said}
    word, *rest = _BEHIND.split(line, maxsplit=1)
    said, comment = yes_or_no(word), "".join(rest).strip()
    if said is None:
        return None
    more = {"comment": comment[:LONGEST_COMMENT]} if comment else {}
    return {"approved": said, **more}


def _several(questions: Sequence[dict[str, Any]]) -> str:
    """Each with what there is to choose from, and how all are answered in one line."""
    lines = []
    for number, each in enumerate(questions, 1):
        choices = " / ".join(map(str, each.get("choices", ())))
        lines.append(f"  {number}. {each['question']}" + (f" ({choices})" if choices else ""))
    return "\n".join(
        [f"{len(questions)} questions; answer them in one line, with ; between:", *lines]
    )


def _approval(interrupt: Interrupt) -> str:
    """What is to be allowed, what it changes and why that is asked."""
    detail = interrupt.detail
    arguments: dict[str, Any] = detail.get("arguments", {})
    if interrupt.tool == REQUEST_PLAN:
        steps = [f"  {number}. {step}" for number, step in enumerate(arguments["steps"], 1)]
        lines = [interrupt.message, *steps]
    else:
        lines = [f"{interrupt.message} {encode(arguments).decode()}"]
        lines += [f"  {detail[name]}" for name in ("sideEffect", "reason") if name in detail]
    return "\n".join(lines) + " (yes / no)"


def _questions(detail: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    questions: Sequence[dict[str, Any]] = detail.get("questions", ())
    return questions
