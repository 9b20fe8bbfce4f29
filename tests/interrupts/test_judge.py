"""Which answers are taken, which are refused, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from callsheet.events.interrupt import AnswerStatus
from callsheet.interrupts.answer import Answer, GivenAnswer, GivenResult
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.judge import Accepted, Given, Repeated, judge
from callsheet.kit.errors import AppError
from tests.interrupts.asked import APPROVAL, CLIENT, NEXT, NOW, OTHER, QUESTION, RUN, answered

RED = {"text": "red"}
LATE = NOW - timedelta(seconds=1)


def says(
    record: InterruptRecord, payload: Any = RED, status: AnswerStatus = "resolved"
) -> GivenAnswer:
    return GivenAnswer(str(record.id), Answer(status, payload), "resume/0")


def gives(record: InterruptRecord, content: str = "42") -> GivenResult:
    return GivenResult(record.tool_call_id or "", content, is_error=False, field="messages/3")


def drops(record: InterruptRecord) -> GivenAnswer:
    return says(record, None, "cancelled")


def test_an_answer_to_all_that_is_open_is_taken() -> None:
    given = Given((says(APPROVAL, {"text": "b"}), says(QUESTION)))
    assert judge([QUESTION, APPROVAL], given, NOW) == Accepted(
        RUN,
        {APPROVAL.id: Answer("resolved", {"text": "b"}), QUESTION.id: Answer("resolved", RED)},
        all_cancelled=False,
    )


def test_whoever_cancels_everything_says_nothing() -> None:
    taken = judge([QUESTION], Given((drops(QUESTION),)), NOW)
    assert isinstance(taken, Accepted)
    assert taken.all_cancelled


def test_a_client_that_ran_no_tools_among_questions_is_answered_for() -> None:
    taken = judge([QUESTION, CLIENT], Given((says(QUESTION),)), NOW)
    assert isinstance(taken, Accepted)
    assert taken.answers[CLIENT.id] == Answer("cancelled")


def test_results_of_the_clients_tools_are_answers() -> None:
    taken = judge([CLIENT], Given(results=(gives(CLIENT),)), NOW)
    assert isinstance(taken, Accepted)
    payload = {"content": "42", "isError": False}
    assert taken.answers == {CLIENT.id: Answer("resolved", payload)}


def test_the_same_answer_again_is_known_however_its_keys_stand() -> None:
    stood = answered(QUESTION, "resolved", {"text": "red", "more": [{"a": 1, "b": 2}]})
    again = {"more": [{"b": 2, "a": 1}], "text": "red"}
    assert judge([stood], Given((says(QUESTION, again),)), NOW) == Repeated(NEXT)
    late = replace(stood, expires_at=LATE)
    assert judge([late], Given((says(QUESTION, again),)), NOW) == Repeated(NEXT)


def test_an_expired_question_may_still_be_dropped() -> None:
    late = replace(QUESTION, expires_at=LATE)
    assert isinstance(judge([late], Given((drops(late),)), NOW), Accepted)


REFUSED: dict[str, tuple[Sequence[InterruptRecord], Given, int, str]] = {
    "nothing of that id": ([QUESTION], Given((says(APPROVAL),)), 422, "interrupt_unknown"),
    "no id at all": (
        [QUESTION],
        Given((GivenAnswer("first", Answer("resolved", RED), "resume/0"),)),
        422,
        "interrupt_unknown",
    ),
    "a result of a call that is not the client's": (
        [QUESTION],
        Given(results=(gives(QUESTION),)),
        422,
        "interrupt_unknown",
    ),
    "the same one twice": (
        [QUESTION],
        Given((says(QUESTION), says(QUESTION))),
        422,
        "interrupt_answered_twice",
    ),
    "of two runs": (
        [QUESTION, replace(APPROVAL, run_id=OTHER)],
        Given((says(QUESTION), says(APPROVAL))),
        422,
        "interrupt_unknown",
    ),
    "not all of it": (
        [QUESTION, APPROVAL],
        Given((says(QUESTION),)),
        422,
        "interrupts_unanswered",
    ),
    "not all results": (
        [CLIENT, replace(CLIENT, id=OTHER, tool_call_id="call-9")],
        Given(results=(gives(CLIENT),)),
        422,
        "interrupts_unanswered",
    ),
    "a form that was not asked for": (
        [QUESTION],
        Given((says(QUESTION, {"text": 5}),)),
        422,
        "interrupt_answer_invalid",
    ),
    "no payload": ([QUESTION], Given((says(QUESTION, None),)), 422, "interrupt_answer_invalid"),
    "too late": (
        [replace(QUESTION, expires_at=NOW)],
        Given((says(QUESTION),)),
        409,
        "interrupt_expired",
    ),
    "too late, and swept": (
        [replace(QUESTION, expires_at=LATE, status="expired")],
        Given((drops(QUESTION),)),
        409,
        "interrupt_expired",
    ),
    "to a run that was stopped": (
        [replace(QUESTION, status="closed")],
        Given((says(QUESTION),)),
        409,
        "interrupt_closed",
    ),
    "a second, different one": (
        [answered(QUESTION, "resolved", {"text": "blue"})],
        Given((says(QUESTION),)),
        409,
        "interrupt_answered",
    ),
    "a part of what was answered": (
        [answered(QUESTION, "resolved", RED), answered(APPROVAL, "resolved", RED)],
        Given((says(QUESTION),)),
        409,
        "interrupt_answered",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    known, given, status, code = REFUSED[name]
    with pytest.raises(AppError) as refused:
        judge(known, given, NOW)
    assert (refused.value.status, refused.value.error_code) == (status, code)


def test_the_one_who_answers_otherwise_is_told_which_run_went_on() -> None:
    stood = answered(QUESTION, "resolved", {"text": "blue"})
    with pytest.raises(AppError) as refused:
        judge([stood], Given((says(QUESTION),)), NOW)
    assert refused.value.extra["runId"] == str(NEXT)


@pytest.mark.parametrize("payload", [None, "42", {"hack": 1}, {"content": 5}])
def test_an_answer_in_the_place_of_a_result_has_its_form(payload: Any) -> None:
    with pytest.raises(AppError) as refused:
        judge([CLIENT], Given((says(CLIENT, payload),)), NOW)
    assert refused.value.error_code == "interrupt_answer_invalid"
    taken = judge([CLIENT], Given((says(CLIENT, {"content": "42"}),)), NOW)
    assert isinstance(taken, Accepted)
