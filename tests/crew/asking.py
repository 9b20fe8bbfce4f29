"""Shared by the tests of one answer: an asker with its script, recording and meter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from callsheet.crew.answer import Answer
from callsheet.crew.asker import Asker, Question
from callsheet.crew.frame import Frame
from callsheet.crew.rates import RunRates
from callsheet.events.call import AnswerFinished, LlmCallFinished
from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatRequest
from callsheet.llm.errors import ProviderCode, ProviderError
from callsheet.llm.retry import RetryPolicy
from tests.fakes.chat import OneModel, Script, ScriptedChat
from tests.fakes.stage import agent
from tests.fakes.turn import FakeMeter, Recording


def fault(code: ProviderCode, *, answered: bool = False) -> ProviderError:
    return ProviderError("fake", code=code, answered=answered)


@dataclass
class Desk:
    """An asker with its script, its recording and its meter."""

    recording: Recording
    chat: ScriptedChat
    meter: FakeMeter
    asker: Asker

    @classmethod
    def of(cls, *scripts: Script, rates: RunRates | None = None, **meter: Any) -> Desk:
        recording = Recording()
        chat = ScriptedChat(scripts)
        fake = FakeMeter(recording, **meter)
        policy = RetryPolicy(attempts=3, base_s=0.001)
        asker = Asker(chat, fake, recording, SystemClock(), policy, rates)
        return cls(recording, chat, fake, asker)

    async def ask(self) -> Answer:
        return await self.asker.ask(self.question)

    @property
    def question(self) -> Question:
        frame = Frame(
            agent_run_id="a1", path="s#1/t", stage="s", agent=agent(), task="t", visible=True
        )
        request = ChatRequest(
            model=OneModel().get("m1"), messages=[{"role": "user", "content": "How are you?"}]
        )
        return Question(frame, request, 0, Deadline.after(10), {})

    @property
    def calls(self) -> list[LlmCallFinished]:
        return self.recording.of(LlmCallFinished)

    @property
    def finished(self) -> AnswerFinished:
        (event,) = self.recording.of(AnswerFinished)
        return event
