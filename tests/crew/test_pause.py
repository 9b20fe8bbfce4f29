"""Calls that wait for people: the others finish, then everything is asked together."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from callsheet.events.interrupt import Interrupt, InterruptAnswered
from callsheet.events.tool import ToolResult, ToolStarted
from callsheet.tools.pause import Ask, NeedsPerson
from callsheet.turn.paused import Paused
from tests.crew.test_agent_loop import Stage, answer

MAY_I = Ask("May I?", None, "approval")
SOON = datetime(2026, 1, 1, tzinfo=UTC)
WHICH = Ask("Which?", None)


async def paused(stage: Stage) -> tuple[Interrupt, ...]:
    with pytest.raises(Paused) as pause:
        await stage.run()
    return pause.value.interrupts


def results(stage: Stage) -> dict[str, str]:
    return {e.tool: e.status for e in stage.events if isinstance(e, ToolResult)}


def said(stage: Stage, reason: Any, payload: Any, status: Any = "resolved") -> None:
    """The first call of the stage was answered so."""
    first = stage.answers[0]
    assert not isinstance(first, (Exception, float))
    [call] = first.tool_calls
    stage.record.take(
        InterruptAnswered(
            interrupt_id="i",
            reason=reason,
            status=status,
            tool_call_id=call.tool_call_id,
            payload=payload,
        )
    )


def only(stage: Stage) -> ToolResult:
    [result] = [e for e in stage.events if isinstance(e, ToolResult)]
    return result


async def test_siblings_finish_and_all_that_waits_is_asked_at_once() -> None:
    stage = Stage(
        [answer("", ("mail", "{}"), ("slow", "{}"), ("question", "{}"))],
        outcomes={"slow": "S"},
        slow={"slow": 0.02},
        asks={"mail": MAY_I},
        inside={"question": NeedsPerson(WHICH)},
    )
    asked = await paused(stage)
    assert [each.interrupt_id for each in asked] == ["i-mail", "i-question"]
    assert results(stage) == {"slow": "ok"}
    started = {e.tool_call_id for e in stage.events if isinstance(e, ToolStarted)}
    assert asked[0].tool_call_id not in started
    assert len(stage.asked) == 1


async def test_what_a_coworker_waits_for_is_asked_with_the_rest() -> None:
    theirs = Interrupt(interrupt_id="theirs", reason="question", message="m", expires_at=SOON)
    stage = Stage(
        [answer("", ("delegate", "{}"), ("fast", "{}"))],
        outcomes={"fast": "F"},
        inside={"delegate": Paused((theirs,))},
    )
    assert [each.interrupt_id for each in await paused(stage)] == ["theirs"]
    assert results(stage) == {"fast": "ok"}


async def test_an_answer_is_the_result_of_its_question() -> None:
    stage = Stage(
        [answer("", ("question", "{}")), answer("done")],
        inside={"question": NeedsPerson(WHICH)},
    )
    said(stage, "question", {"answers": ["red"]})
    assert (await stage.run()).text == "done"
    assert (only(stage).status, only(stage).content) == ("ok", '{"answers":["red"]}')
    assert stage.called == []


async def test_a_question_that_is_not_answered_is_told_so() -> None:
    stage = Stage([answer("", ("question", "{}")), answer("done")])
    said(stage, "question", None, "cancelled")
    await stage.run()
    assert only(stage).status == "rejected"
    assert "would not answer" in only(stage).content


async def test_an_approved_call_is_made_as_it_was_asked_for() -> None:
    stage = Stage(
        [answer("", ("mail", '{"to": "a"}')), answer("done")],
        outcomes={"mail": "sent"},
        asks={"mail": MAY_I},
    )
    said(stage, "approval", {"approved": True})
    await stage.run()
    assert [call.arguments for call in stage.called] == ['{"to": "a"}']
    assert (only(stage).status, only(stage).content) == ("ok", "sent")


async def test_an_approval_may_change_the_arguments_and_the_model_is_told() -> None:
    stage = Stage(
        [answer("", ("mail", '{"to": "a"}')), answer("done")],
        outcomes={"mail": "sent"},
        asks={"mail": MAY_I},
    )
    said(stage, "approval", {"approved": True, "arguments": {"to": "b"}, "comment": "Not to a."})
    await stage.run()
    first = stage.answers[0]
    assert not isinstance(first, (Exception, float))
    [made] = stage.called
    assert (made.arguments, made.tool_call_id) == ('{"to":"b"}', first.tool_calls[0].tool_call_id)
    assert only(stage).content == (
        "sent\nThe user changed the arguments before allowing the call, to "
        '{"to":"b"}. They say: Not to a.'
    )


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"approved": False}, "resolved"),
        ({"approved": False, "comment": "No."}, "resolved"),
        ({"approved": "yes"}, "resolved"),
        (None, "resolved"),
        (None, "cancelled"),
        ({"approved": True}, "cancelled"),
    ],
)
async def test_a_call_that_is_not_allowed_is_not_made(payload: Any, status: Any) -> None:
    stage = Stage([answer("", ("mail", "{}")), answer("done")], asks={"mail": MAY_I})
    said(stage, "approval", payload, status)
    assert (await stage.run()).text == "done"
    assert stage.called == []
    assert only(stage).status == "rejected"
    assert ("No." in only(stage).content) == (bool(payload) and "comment" in payload)


@pytest.mark.parametrize(
    ("payload", "answer_status", "status", "content"),
    [
        ({"content": "42", "isError": False}, "resolved", "ok", "42"),
        ({"content": "broke", "isError": True}, "resolved", "error", "broke"),
        (None, "cancelled", "error", "The client gave no result for this call. Go on without it."),
    ],
)
async def test_what_the_client_gave_is_the_result(
    payload: Any, answer_status: Any, status: str, content: str
) -> None:
    stage = Stage([answer("", ("pick_file", "{}")), answer("done")])
    said(stage, "client_tool", payload, answer_status)
    await stage.run()
    assert (only(stage).status, only(stage).content) == (status, content)


async def test_a_result_of_the_client_is_cut_where_it_is_too_long() -> None:
    stage = Stage([answer("", ("pick_file", "{}")), answer("done")])
    said(stage, "client_tool", {"content": "x" * 50_000, "isError": False})
    await stage.run()
    assert len(only(stage).content) < 33_000
    assert "cut here" in only(stage).content


async def test_an_approved_call_that_was_begun_elsewhere_is_not_made_twice() -> None:
    stage = Stage(
        [answer("", ("mail", "{}")), answer("done")],
        asks={"mail": MAY_I},
        once=frozenset({"mail"}),
    )
    said(stage, "approval", {"approved": True})
    first = stage.answers[0]
    assert not isinstance(first, (Exception, float))
    stage.record.take(ToolStarted(tool_call_id=first.tool_calls[0].tool_call_id))
    await stage.run()
    assert (stage.called, only(stage).status) == ([], "unknown")
