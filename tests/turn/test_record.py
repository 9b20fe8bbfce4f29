"""What a journal says has been done."""

from __future__ import annotations

import pytest

from callsheet.events.agent import TaskFinished
from callsheet.events.call import AnswerFinished, MessageStatus, RequestedTool
from callsheet.events.run import RunFailed
from callsheet.events.stage import StageFinished, StageRetried, StageStarted
from callsheet.events.steered import Steered
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import ToolResult, ToolStarted, ToolStatus
from callsheet.turn.record import fold

PATH = "execution#1/write"


def answer(iteration: int, *calls: str, status: MessageStatus = "final") -> AnswerFinished:
    return AnswerFinished(
        message_id=f"m{iteration}",
        status=status,
        text=f"answer {iteration}",
        path=PATH,
        iteration=iteration,
        tool_calls=tuple(RequestedTool(tool_call_id=c, name="t", arguments="{}") for c in calls),
    )


def result(call: str, status: ToolStatus = "ok") -> ToolResult:
    return ToolResult(
        tool_call_id=call,
        message_id="r",
        tool="t",
        agent_run_id="a",
        stage="execution",
        agent="writer",
        content="done",
        status=status,
        args_digest="",
        latency_ms=1,
        visible=True,
        path=PATH,
    )


def test_answers_are_found_by_their_place_and_number() -> None:
    record = fold([answer(0, "c1"), answer(1)])
    assert record.answer(PATH, 0) == answer(0, "c1")
    assert record.answer(PATH, 1) == answer(1)
    assert record.answer(PATH, 2) is None
    assert record.answer("execution#2/write", 0) is None
    assert record.last_message(PATH) == "m1"


@pytest.mark.parametrize("status", ["partial", "discarded"])
def test_a_cut_answer_is_none(status: MessageStatus) -> None:
    record = fold([answer(0), answer(1, status=status), answer(1)])
    assert record.answers[PATH] == [answer(0), answer(1)]


def test_an_answer_that_came_twice_counts_once() -> None:
    assert fold([answer(0), answer(0), answer(1)]).answers[PATH] == [answer(0), answer(1)]


def test_calls_without_a_result_are_asked_and_those_that_began_are_known() -> None:
    record = fold(
        [
            answer(0, "c1", "c2", "c3", "c4"),
            ToolStarted(tool_call_id="c1"),
            ToolStarted(tool_call_id="c2"),
            ToolStarted(tool_call_id="c4"),
            result("c1"),
            result("c3", "cancelled"),
            result("c4", "unknown"),
        ]
    )
    assert record.asked() == {"c2", "c3"}
    assert record.begun == {"c1", "c2", "c4"}
    assert record.results["c4"].status == "unknown"


def test_finished_tasks_and_stages_keep_their_outputs() -> None:
    done = TaskFinished(path=PATH, task="write", output="all")
    record = fold(
        [
            StageStarted(stage="execution"),
            done,
            StageFinished(stage="execution", status="done", output="all"),
            StageStarted(stage="organization"),
            StageFinished(stage="organization", status="failed"),
        ]
    )
    assert record.tasks == {PATH: done}
    assert record.stages == {"execution": "all"}


def test_a_stage_goes_on_with_its_last_attempt() -> None:
    record = fold(
        [
            StageStarted(stage="execution"),
            StageRetried(stage="execution", attempt=2, code="provider_error"),
            RunFailed(code="worker_died", message=""),
        ]
    )
    assert record.attempt("execution") == 2
    assert record.attempt("organization") == 1


@pytest.mark.parametrize("code", ["invalid_output", "iteration_limit"])
def test_where_the_answers_were_at_fault_the_stage_begins_anew(code: str) -> None:
    record = fold([StageStarted(stage="execution"), answer(0), RunFailed(code=code, message="")])
    assert record.attempt("execution") == 2
    assert record.answer("execution#2/write", 0) is None


def test_a_text_was_shown_once_it_is_whole_and_visible() -> None:
    def text(message: str, *, visible: bool) -> list[TextStarted | TextDelta | TextEnded]:
        return [
            TextStarted(message_id=message, agent_run_id="a", visible=visible),
            TextDelta(message_id=message, text="x"),
            TextEnded(message_id=message),
        ]

    cut = text("cut", visible=True)[:2]
    record = fold([*text("inner", visible=False), *text("seen", visible=True), *cut])
    assert record.shown == {"seen"}


def steered(text: str, path: str = PATH, iteration: int = 0) -> Steered:
    return Steered(run_id=text, message_id="m", text=text, path=path, iteration=iteration)


def test_what_was_said_on_the_way_is_found_by_its_place_in_its_order() -> None:
    said = [
        steered("one", "intent#1/judge"),
        steered("two"),
        steered("three", iteration=1),
        steered("four", "execution#2/write"),
        steered("five", "execution#1/check"),
        steered("six", "execution_more#1/write"),
    ]
    record = fold(said)
    assert record.steered == said
    assert record.steered_at(PATH, 0) == ["two"]
    assert record.steered_at(PATH, 1) == ["three"]
    assert record.steered_at(PATH, 2) == []
    assert record.steered_on(PATH) == ["two", "three"]
    assert record.steered_in("execution") == ["two", "three", "four", "five"]
    assert record.steered_in("execution", before=2) == ["two", "three", "five"]
    assert record.steered_in("execution", before=1) == []
