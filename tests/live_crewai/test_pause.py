"""A stage that waits for people leaves CrewAI whole, and goes on with what they say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callsheet.events.agent import AgentFinished, TaskFinished
from callsheet.events.call import AnswerFinished
from callsheet.events.tool import ToolCallStarted, ToolResult, ToolStarted
from callsheet.kit.errors import QuotaSpent
from callsheet.llm.chat import ChatRequest
from callsheet.tools.client_tool import ClientTool
from tests.fakes.chat import Script, Wait, calls, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.waiting import MAIL, QUESTION, TOOLS, Stage, answered, says, told


def asks_and_works(request: ChatRequest) -> Script:
    if answered(request):
        return text(" | ".join(told(request)))
    return calls(("ask_user", QUESTION), ("double", {"number": 4}), ("send_mail", MAIL))


async def test_a_pause_leaves_the_crew_and_the_answer_goes_on_from_it() -> None:
    stage = Stage(stage_work([agent(tools=TOOLS)]), asks_and_works)
    question, mail = await stage.pause()
    assert (question.reason, question.message, question.tool) == ("question", "Which?", "ask_user")
    assert (mail.reason, mail.detail["arguments"]) == ("approval", MAIL)
    assert [event.tool for event in stage.part.of(ToolResult)] == ["double"]
    assert [event.status for event in stage.part.of(AgentFinished)] == ["waiting"]
    assert not stage.post.mails

    edited = {**MAIL, "subject": "Better"}
    result = await stage.play(
        says(question, {"answers": ["red"]}), says(mail, {"approved": True, "arguments": edited})
    )
    assert result.text.startswith('{"answers":["red"]} | 8 | The mail to a@b.example was put')
    assert len(stage.chat.requests) == 2
    assert stage.post.mails == {mail.tool_call_id: (("a@b.example",), "Better", "b")}
    assert sum(stage.tool.made.values()) == 1
    assert not stage.part.of(ToolCallStarted)
    assert len(stage.part.of(TaskFinished)) == 1


async def test_the_start_of_a_call_that_was_allowed_is_stored_before_it_is_made() -> None:
    stage = Stage(stage_work([agent(tools=TOOLS)]), asks_and_works)
    question, mail = await stage.pause()
    await stage.play(says(question, {"answers": ["red"]}), says(mail, {"approved": True}))
    assert ToolStarted(tool_call_id=str(mail.tool_call_id)) in stage.committed


async def test_a_question_may_follow_a_question() -> None:
    def choose(request: ChatRequest) -> Script:
        if len(told(request)) < 2:
            return calls(("ask_user", QUESTION))
        return text(" | ".join(told(request)))

    stage = Stage(stage_work([agent(tools=TOOLS)]), choose)
    (first,) = await stage.pause()
    (second,) = await stage.pause(says(first, {"answers": ["one"]}))
    assert first.tool_call_id != second.tool_call_id
    result = await stage.play(says(second, {"answers": ["two"]}))
    assert result.text == '{"answers":["one"]} | {"answers":["two"]}'
    assert len(stage.chat.requests) == 3


async def test_what_was_not_answered_is_asked_again_under_the_same_call() -> None:
    stage = Stage(stage_work([agent(tools=TOOLS)]), asks_and_works)
    before = await stage.pause()
    after = await stage.pause()
    assert [each.tool_call_id for each in before] == [each.tool_call_id for each in after]
    assert not {each.interrupt_id for each in before} & {each.interrupt_id for each in after}
    assert len(stage.chat.requests) == 1
    assert sum(stage.tool.made.values()) == 1


async def test_coworkers_who_ask_at_the_same_time_are_asked_for_together() -> None:
    def choose(request: ChatRequest) -> Script:
        if "worker role" in request.messages[0]["content"]:
            return text(told(request)[0]) if answered(request) else calls(("ask_user", QUESTION))
        if answered(request):
            return text(" | ".join(told(request)))
        order = {"coworker": "worker", "context": "c"}
        return calls(
            ("delegate_work_to_coworker", {**order, "task": "one"}),
            ("delegate_work_to_coworker", {**order, "task": "two"}),
            ("double", {"number": 1}),
        )

    boss = agent("boss", allow_delegation=True, tools=("double",))
    work = stage_work([boss, agent("worker", tools=("ask_user",))], [task("lead", "boss")])
    stage = Stage(work, choose)
    one, two = await stage.pause()
    assert len(stage.chat.requests) == 3
    result = await stage.play(says(one, {"answers": ["1"]}), says(two, {"answers": ["2"]}))
    assert result.text == '{"answers":["1"]} | {"answers":["2"]} | 2'
    assert len(stage.chat.requests) == 6


async def test_tasks_side_by_side_finish_before_the_pause() -> None:
    def choose(request: ChatRequest) -> Script:
        said = str(request.messages)
        if "asker role" in said and not answered(request):
            return calls(("ask_user", QUESTION))
        if "slow role" in said:
            return [Wait(0.05), *text("slowly")]
        return text("end")

    tasks = [
        task("one", "asker", async_execution=True),
        task("two", "slow", async_execution=True),
        task("three", "joiner", context=("one", "two")),
    ]
    agents = [agent("asker", tools=("ask_user",)), agent("slow"), agent("joiner")]
    stage = Stage(stage_work(agents, tasks), choose)
    (question,) = await stage.pause()
    answers = [e.text for e in stage.part.of(AnswerFinished) if e.status == "final"]
    assert "slowly" in answers
    assert (await stage.play(says(question, {"answers": ["x"]}))).text == "end"
    assert len(stage.chat.requests) == 4


async def test_tools_of_the_client_are_offered_and_left_to_it() -> None:
    tool = ClientTool("pick_file", "Lets the user pick a file.", {"type": "object"})

    def choose(request: ChatRequest) -> Script:
        if answered(request):
            return text(told(request)[0])
        return calls(("pick_file", {"kind": "pdf"}))

    work = stage_work([agent(client_tools=True)])
    work = replace(work, request=replace(work.request, client_tools=(tool,)))
    stage = Stage(work, choose)
    (pending,) = await stage.pause()
    assert (pending.reason, pending.tool) == ("client_tool", "pick_file")
    assert list(stage.chat.requests[0].tools) == [tool.schema()]
    result = await stage.play(says(pending, {"content": "a.pdf", "isError": False}))
    assert result.text == "a.pdf"


@pytest.mark.parametrize("takes", [True, False])
async def test_only_agents_that_may_are_offered_them(takes: bool) -> None:
    work = stage_work([agent(client_tools=takes)])
    tool = ClientTool("pick_file", "d", {"type": "object"})
    work = replace(work, request=replace(work.request, client_tools=(tool,)))
    stage = Stage(work, lambda _: text("hi"))
    await stage.play()
    assert bool(stage.chat.requests[0].tools) == takes


async def test_agents_who_meet_the_same_spent_budget_ask_once() -> None:
    def choose(request: ChatRequest) -> Script:
        if "worker role" in request.messages[0]["content"]:
            return text("work")
        if answered(request):
            return text(" | ".join(told(request)))
        order = {"coworker": "worker", "context": "c"}
        return calls(
            ("delegate_work_to_coworker", {**order, "task": "one"}),
            ("delegate_work_to_coworker", {**order, "task": "two"}),
            ("double", {"number": 1}),
        )

    boss = agent("boss", allow_delegation=True, tools=("double",))
    work = stage_work([boss, agent("worker")], [task("lead", "boss")])
    work = replace(work, workflow=replace(work.workflow, on_spent_budget="ask"))
    stage = Stage(work, choose)
    stage.within = 1
    (budget,) = await stage.pause()
    assert budget.reason == "budget"
    assert [event.tool for event in stage.part.of(ToolResult)] == ["double"]
    stage.within = None
    result = await stage.play(says(budget, {"extend": True}))
    assert result.text == "work | work | 2"


async def test_who_says_no_to_a_budget_is_not_asked_again() -> None:
    work = stage_work([agent()])
    work = replace(work, workflow=replace(work.workflow, on_spent_budget="ask"))
    stage = Stage(work, lambda _: text("hi"))
    stage.within = 0
    (budget,) = await stage.pause()
    with pytest.raises(QuotaSpent):
        await stage.play(says(budget, {"extend": False}))
