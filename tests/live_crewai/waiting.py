"""A stage that waits for people, played in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.interrupt import Interrupt, InterruptAnswered
from callsheet.events.run import RunPaused
from callsheet.events.union import AnyRunEvent
from callsheet.llm.chat import ChatRequest
from callsheet.tools.builtin.ask_user import AskUser
from callsheet.tools.builtin.request_plan_approval import RequestPlanApproval
from callsheet.tools.builtin.send_mail import SendMail
from callsheet.turn.paused import Paused
from callsheet.turn.ports import StageWork
from callsheet.turn.record import fold
from callsheet.workflows.tool_rule import ToolRule
from tests.fakes.chat import ScriptedChat
from tests.fakes.post import NoPost
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
        self.within: int | None = None
        self.committed: list[AnyRunEvent] = []

    async def play(self, *answers: InterruptAnswered) -> Any:
        """The result, or what is waited for."""
        self.events += answers
        record = fold(self.events)
        play = Play.of(
            self.chat,
            tools=[AskUser(), RequestPlanApproval(), SendMail(self.post), self.tool],
            rules=[ToolRule("send_mail", "ask")],
        )
        play.recording.carry(record.asked())
        self.part = play.recording
        play.meter.calls_within_budget = self.within
        try:
            return await play.run(replace(self.work, record=record))
        except Paused as paused:
            return paused.interrupts
        finally:
            self.events += play.recording.events
            self.committed = play.meter.committed

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
