"""What a line at the prompt says to a run that waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from callsheet.cli.answers import answers_in, told
from callsheet.events.interrupt import Interrupt
from callsheet.interrupts.interrupt import InterruptRecord
from tests.interrupts.asked import APPROVAL, NOW, QUESTION

ONE = replace(QUESTION, detail={"questions": [{"question": "Which?", "choices": ["red", "blue"]}]})
TWO = replace(QUESTION, detail={"questions": [{"question": "Which?"}, {"question": "When?"}]})
BUDGET = replace(APPROVAL, reason="budget")


@pytest.mark.parametrize(
    ("line", "asked", "payload"),
    [
        (" something else ", ONE, {"answers": ["something else"]}),
        ("red", TWO, None),
        ("red; now", TWO, {"answers": ["red", "now"]}),
        ("red；", TWO, None),
        ("red; now; here", TWO, None),
        ("red; blue", ONE, {"answers": ["red; blue"]}),
        ("Yes", APPROVAL, {"approved": True}),
        ("不", APPROVAL, {"approved": False}),
        ("What is it?", APPROVAL, None),
        ("no way", APPROVAL, None),
        ("no, call her instead", APPROVAL, {"approved": False, "comment": "call her instead"}),
        ("是：今天就发", APPROVAL, {"approved": True, "comment": "今天就发"}),
        ("yes,", APPROVAL, {"approved": True}),
        ("yes, more", BUDGET, None),
        ("y", BUDGET, {"extend": True}),
        ("n", BUDGET, {"extend": False}),
    ],
)
def test_a_line_answers_what_is_asked(line: str, asked: InterruptRecord, payload: Any) -> None:
    given = answers_in(line, [asked])
    if payload is None:
        assert given is None
        return
    assert given is not None
    [answer] = given.answers
    assert (answer.interrupt_id, answer.answer.payload) == (str(asked.id), payload)


def test_nothing_or_several_things_are_not_answered() -> None:
    assert answers_in("yes", []) is None
    assert answers_in("yes", [ONE, APPROVAL]) is None


def test_what_has_to_be_known_is_told() -> None:
    def shown(record: InterruptRecord) -> str:
        return told(
            Interrupt(
                interrupt_id="i",
                reason=record.reason,
                message=record.message,
                expires_at=NOW,
                tool=record.tool,
                detail=dict(record.detail),
            )
        )

    assert shown(ONE) == "Which colour? (red / blue)"
    first = {"question": "Which?", "choices": ["red", "blue"]}
    assert shown(replace(TWO, detail={"questions": [first, {"question": "When?"}]})) == (
        "2 questions; answer them in one line, with ; between:\n"
        "  1. Which? (red / blue)\n  2. When?"
    )
    mail = replace(APPROVAL, message="May it?", detail={"arguments": {"to": "a"}})
    assert shown(mail) == 'May it? {"to":"a"} (yes / no)'
    why = {"arguments": {}, "reason": "It always asks.", "sideEffect": "It is sent."}
    assert shown(replace(mail, detail=why)) == (
        "May it? {}\n  It is sent.\n  It always asks. (yes / no)"
    )
    plan = {"arguments": {"title": "Write", "steps": ["Look up", "Send"]}, "reason": "Why."}
    shows = replace(mail, tool="request_plan_approval", message="All right? Write", detail=plan)
    assert shown(shows) == ("All right? Write\n  1. Look up\n  2. Send (yes / no)")
    assert shown(replace(BUDGET, message="More?")) == "More? (yes / no)"
