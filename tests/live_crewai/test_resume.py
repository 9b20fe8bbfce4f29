"""A stage that was cut off after any of its steps goes on, and ends as it would have."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from callsheet.events.agent import AgentStarted, TaskFinished
from callsheet.events.call import AnswerFinished
from callsheet.events.tool import ToolResult, ToolStarted
from callsheet.events.union import AnyRunEvent
from callsheet.llm.chat import ChatRequest
from callsheet.tools.context import ToolContext
from callsheet.turn.ports import StageWork
from callsheet.turn.record import fold
from tests.fakes.chat import Script, ScriptedChat, calls, text
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play

RECORDED = (AnswerFinished, ToolStarted, ToolResult, TaskFinished)


class Number(BaseModel):
    number: int


@dataclass
class Counting:
    """A tool that counts how often each call of it was made."""

    made: Counter[str] = field(default_factory=Counter)
    idempotent: bool = True
    name: ClassVar[str] = "double"
    description: ClassVar[str] = "Twice a number."
    Args: ClassVar[type[BaseModel]] = Number

    async def run(self, args: Any, ctx: ToolContext) -> str:
        self.made[ctx.tool_call_id] += 1
        await asyncio.sleep(0)
        return str(args.number * 2)


def told(request: ChatRequest) -> str:
    """A short name of all that the model was told; the ids of calls are not part of it."""
    said = json.dumps(
        [
            {k: v for k, v in message.items() if k not in ("tool_call_id", "tool_calls")}
            for message in request.messages
        ]
    )
    return hashlib.sha256(said.encode()).hexdigest()[:8]


def rounds(request: ChatRequest) -> Script:
    """Two rounds of three calls, then an answer that depends on every message before it."""
    done = sum(message["role"] == "assistant" for message in request.messages)
    if done < 2:
        return calls(*(("double", {"number": 10 * done + n}) for n in range(3)))
    return text(f"answer {told(request)}")


def boss_and_worker(request: ChatRequest) -> Script:
    """A boss who asks a coworker twice side by side; the coworker calls a tool each time."""
    answered = request.messages[-1]["role"] == "tool"
    if "worker role" in request.messages[0]["content"]:
        return text(f"work {told(request)}") if answered else calls(("double", {"number": 4}))
    if answered:
        return text(f"boss {told(request)}")
    order = {"coworker": "worker", "context": "c"}
    return calls(
        ("delegate_work_to_coworker", {**order, "task": "one"}),
        ("delegate_work_to_coworker", {**order, "task": "two"}),
    )


def chain(request: ChatRequest) -> Script:
    return text(f"said {told(request)}")


def one_agent() -> StageWork:
    return stage_work([agent(tools=("double",))])


def two_of_them() -> StageWork:
    boss, worker = agent("boss", allow_delegation=True), agent("worker", tools=("double",))
    return stage_work([boss, worker], [task("lead", "boss")])


def three_tasks() -> StageWork:
    return stage_work(
        [agent("a"), agent("b")],
        [task("first", "a"), task("second", "b", context=("first",)), task("third", "a",
         context=("first", "second"))],
    )  # fmt: skip


CREWS = pytest.mark.parametrize(
    ("make", "choose"),
    [(one_agent, rounds), (two_of_them, boss_and_worker), (three_tasks, chain)],
    ids=["rounds", "delegation", "tasks"],
)


@dataclass
class Run:
    """What one run of the stage gave, was told and did."""

    text: str
    events: Sequence[AnyRunEvent]
    requests: Sequence[ChatRequest]
    tool: Counting


async def play(work: StageWork, choose: Any, past: Sequence[AnyRunEvent] = ()) -> Run:
    tool = Counting()
    chat = ScriptedChat(choose=choose)
    recorded = fold(past)
    performance = Play.of(chat, tools=[tool])
    performance.recording.carry(recorded.asked())
    result = await performance.run(replace(work, record=recorded))
    return Run(result.text, performance.recording.events, chat.requests, tool)


@CREWS
async def test_from_any_step_on_nothing_that_is_stored_is_asked_or_done_again(
    make: Any, choose: Any
) -> None:
    work = make()
    whole = await play(work, choose)
    steps = [n for n, event in enumerate(whole.events) if isinstance(event, RECORDED)]
    for last in steps:
        before = whole.events[: last + 1]
        after = await play(work, choose, before)
        stored = fold(before)
        assert after.text == whole.text
        asked_before = sum(len(answers) for answers in stored.answers.values())
        assert len(after.requests) == len(whole.requests) - asked_before
        assert not set(after.tool.made) & set(stored.results)
        assert all(n == 1 for n in after.tool.made.values())
        again = {event.tool_call_id for event in after.events if isinstance(event, ToolResult)}
        assert stored.asked() <= again
        assert not again & set(stored.results)


@CREWS
async def test_a_finished_stage_is_not_told_again(make: Any, choose: Any) -> None:
    work = make()
    whole = await play(work, choose)
    after = await play(work, choose, whole.events)
    assert after.text == whole.text
    assert not after.requests
    assert not [e for e in after.events if isinstance(e, (AgentStarted, *RECORDED))]


async def test_a_call_that_may_not_be_repeated_is_said_to_be_unknown() -> None:
    tool = Counting(idempotent=False)
    work = one_agent()
    whole = await play(work, rounds)
    begun = next(n for n, event in enumerate(whole.events) if isinstance(event, ToolStarted))
    past = fold(whole.events[: begun + 1])
    seen: list[str] = []

    def choose(request: ChatRequest) -> Script:
        seen.extend(str(m["content"]) for m in request.messages if m["role"] == "tool")
        return text("Understood.")

    performance = Play.of(ScriptedChat(choose=choose), tools=[tool])
    performance.recording.carry(past.asked())
    await performance.run(replace(work, record=past))
    (cut,) = past.begun
    unknown = next(e for e in performance.recording.of(ToolResult) if e.tool_call_id == cut)
    assert unknown.status == "unknown"
    assert tool.made[cut] == 0
    assert sum(tool.made.values()) == 2
    assert any("nobody knows whether it was done" in told for told in seen)


async def test_the_start_of_a_call_with_side_effects_is_stored_before_it_is_made() -> None:
    stored_before: list[str] = []
    performance = Play.of(ScriptedChat(choose=rounds), tools=[])

    class Mail(Counting):
        async def run(self, args: Any, ctx: ToolContext) -> str:
            begun = {
                e.tool_call_id for e in performance.meter.committed if isinstance(e, ToolStarted)
            }
            assert ctx.tool_call_id in begun
            stored_before.append(ctx.tool_call_id)
            return "sent"

    performance = Play.of(ScriptedChat(choose=rounds), tools=[Mail(idempotent=False)])
    await performance.run(one_agent())
    assert len(stored_before) == 6
