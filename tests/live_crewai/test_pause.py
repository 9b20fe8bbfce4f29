"""A stage that waits for people leaves CrewAI whole, and goes on with what they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from callsheet.events.agent import AgentFinished, AgentStarted, TaskFinished
from callsheet.events.call import AnswerFinished
from callsheet.events.interrupt import Interrupt, InterruptAnswered
from callsheet.events.run import RunPaused
from callsheet.events.tool import ToolCallStarted, ToolResult
from callsheet.events.union import AnyRunEvent
from callsheet.llm.chat import ChatRequest
from callsheet.tools.builtin.ask_user import AskUser
from callsheet.tools.builtin.send_mail import SendMail
from callsheet.tools.client_tool import ClientTool
from callsheet.tools.options import ToolOptions
from callsheet.turn.paused import Paused
from callsheet.turn.ports import StageWork
from callsheet.turn.record import fold
from tests.fakes.chat import Script, ScriptedChat, Wait, calls, text
from tests.fakes.post import NoPost
from tests.fakes.stage import agent, stage_work, task
from tests.fakes.turn import Recording
from tests.live_crewai.playing import Play
from tests.live_crewai.test_resume import Counting

QUESTION = {"questions": [{"question": "Which?"}]}
MAIL = {"to": ["a@b.example"], "subject": "s", "body": "b"}
TOOLS = ("ask_user", "send_mail", "double")


class Stage:
    """One stage that is played in parts, with all that came of it so far."""

    def __init__(self, work: StageWork, choose: Any) -> None:
        self.work = work
        self.chat = ScriptedChat(choose=choose)
        self.post = NoPost()
        self.tool = Counting()
        self.events: list[AnyRunEvent] = []
        self.part = Recording()

    async def play(self, *answers: InterruptAnswered) -> Any:
        """The result, or what is waited for."""
        self.events += answers
        record = fold(self.events)
        play = Play.of(
            self.chat,
            tools=[AskUser(), SendMail(self.post), self.tool],
            rules={"send_mail": ToolOptions(asks_first=True)},
        )
        play.recording.carry(record.asked())
        self.part = play.recording
        try:
            return await play.run(replace(self.work, record=record))
        except Paused as paused:
            return paused.interrupts
        finally:
            self.events += play.recording.events

    async def pause(self, *answers: InterruptAnswered) -> tuple[Interrupt, ...]:
        """All that is waited for; everything that was begun is closed but for the stage."""
        asked: tuple[Interrupt, ...] = await self.play(*answers)
        begun = [event.agent_run_id for event in self.part.of(AgentStarted)]
        ended = {event.agent_run_id: event.status for event in self.part.of(AgentFinished)}
        assert set(begun) == set(ended)
        assert "failed" not in ended.values()
        self.events.append(RunPaused(interrupts=asked))
        return asked


def says(asked: Interrupt, payload: Any) -> InterruptAnswered:
    return InterruptAnswered(
        interrupt_id=asked.interrupt_id,
        reason=asked.reason,
        status="resolved",
        tool_call_id=asked.tool_call_id,
        payload=payload,
    )


def answered(request: ChatRequest) -> bool:
    return bool(request.messages[-1]["role"] == "tool")


def told(request: ChatRequest) -> list[str]:
    return [str(m["content"]) for m in request.messages if m["role"] == "tool"]


def asks_and_works(request: ChatRequest) -> Script:
    if answered(request):
        return text(" | ".join(told(request)))
    return calls(("ask_user", QUESTION), ("double", {"number": 4}), ("send_mail", MAIL))


async def test_a_pause_leaves_the_crew_and_the_answer_goes_on_from_it() -> None:
    stage = Stage(stage_work([agent(tools=TOOLS)]), asks_and_works)
    question, mail = await stage.pause()
    assert (question.reason, question.message, question.tool) == ("question", "Which?", "ask_user")
    assert (mail.reason, mail.detail) == ("approval", {"arguments": MAIL})
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
