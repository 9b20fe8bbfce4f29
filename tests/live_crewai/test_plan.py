"""A plan holds for everybody of the turn, coworkers too, and is folded from what was journaled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from callsheet.events.tool import ToolResult
from callsheet.llm.chat import ChatRequest
from callsheet.sessions.settings import SessionSettings
from callsheet.turn.ports import StageWork
from callsheet.turn.record import fold
from tests.fakes.chat import Script, calls, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.waiting import MAIL, Stage, says, told

PLAN = {"title": "Write", "steps": ["Send the mail"]}
ORDER = {"coworker": "worker", "task": "Write to Ann.", "context": "-"}


def planned(*names: str) -> StageWork:
    work = stage_work(
        [agent("boss", allow_delegation=True), agent("worker", tools=names)],
        [task("lead", "boss")],
    )
    return replace(work, request=replace(work.request, settings=SessionSettings(mode="plan")))


def delegates(request: ChatRequest) -> Script:
    """The boss has the worker do it, who asks for a plan once it is told to."""
    last = str(request.messages[-1]["content"])
    if "boss role" in str(request.messages[0]["content"]):
        done = request.messages[-1]["role"] == "tool"
        return text(f"boss: {last}") if done else calls(("delegate_work_to_coworker", ORDER))
    if "wants to see a plan" in last:
        return calls(("request_plan_approval", PLAN))
    if "was put into the outbox" in last or "did not allow" in last:
        return text(last)
    return calls(("send_mail", MAIL))


@pytest.mark.parametrize("is_approved", [True, False])
async def test_a_coworker_waits_for_the_plan_of_its_turn(is_approved: bool) -> None:
    stage = Stage(planned("send_mail"), delegates)
    [plan] = await stage.pause()
    assert (plan.tool, plan.detail["arguments"]) == ("request_plan_approval", PLAN)
    assert not stage.post.mails
    assert "# Plan first" in str(stage.chat.requests[1].messages[0]["content"])
    assert "# Plan first" not in str(stage.chat.requests[0].messages[0]["content"])
    if not is_approved:
        result = await stage.play(says(plan, {"approved": False}))
        assert "did not allow" in result.text
        assert not stage.post.mails
        return
    [mail] = await stage.pause(says(plan, {"approved": True}))
    assert mail.tool == "send_mail"
    result = await stage.play(says(mail, {"approved": True}))
    assert "was put into the outbox" in result.text
    assert len(stage.post.mails) == 1
    assert fold(stage.events).has_plan


async def test_a_plan_that_is_declined_later_takes_the_first_one_back() -> None:
    steps: list[Any] = [("request_plan_approval", PLAN), ("send_mail", MAIL)]

    def shows_twice(request: ChatRequest) -> Script:
        asked = len(told(request))
        if asked < 2:
            return calls(steps[0])
        return calls(steps[1]) if asked == 2 else text(told(request)[-1])

    work = stage_work([agent(tools=("send_mail", "request_plan_approval"))])
    work = replace(work, request=replace(work.request, settings=SessionSettings(mode="plan")))
    stage = Stage(work, shows_twice)
    [first] = await stage.pause()
    [second] = await stage.pause(says(first, {"approved": True}))
    result = await stage.play(says(second, {"approved": False}))
    assert "wants to see a plan" in result.text
    assert [e.status for e in stage.part.of(ToolResult)] == ["rejected", "error"]
    assert not stage.post.mails
