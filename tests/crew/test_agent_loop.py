"""The loop of an agent: when it asks, when it runs tools, and when it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from callsheet.crew.agent_loop import AgentLoop, Hear, nothing_heard
from callsheet.crew.answer import Answer
from callsheet.crew.frame import Frame
from callsheet.crew.messages import ANSWER_NOW
from callsheet.crew.tool_round import ToolRound
from callsheet.events.call import RequestedTool
from callsheet.events.interrupt import Interrupt
from callsheet.events.tool import ToolResult
from callsheet.events.union import AnyRunEvent
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError
from callsheet.kit.ids import new_id
from callsheet.llm.errors import ProviderError
from callsheet.tools.invoke import ToolOutcome
from callsheet.tools.pause import Ask
from callsheet.turn.record import Record
from tests.fakes.stage import agent

TOOLS = ({"type": "function", "function": {"name": "clock"}},)
FIRST = ({"role": "system", "content": "s"}, {"role": "user", "content": "u"})


def answer(text: str = "", *asked: tuple[str, str]) -> Answer:
    calls = tuple(
        RequestedTool(tool_call_id=str(new_id()), name=name, arguments=arguments)
        for name, arguments in asked
    )
    return Answer(message_id=str(new_id()), text=text, reasoning="", tool_calls=calls)


@dataclass
class Stage:
    """A loop whose model and tools follow a script."""

    answers: Sequence[Answer | Exception | float]
    outcomes: Mapping[str, str] = field(default_factory=dict)
    slow: Mapping[str, float] = field(default_factory=dict)
    spec: Mapping[str, Any] = field(default_factory=dict)
    asked: list[tuple[list[Any], Sequence[Any]]] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    record: Record = field(default_factory=Record)
    once: frozenset[str] = frozenset()
    asks: Mapping[str, Ask] = field(default_factory=dict)
    inside: Mapping[str, BaseException] = field(default_factory=dict)
    called: list[RequestedTool] = field(default_factory=list)
    hear: Hear = nothing_heard
    running: int = 0
    most_running: int = 0

    async def run(self, deadline: Deadline | None = None) -> Answer:
        who = agent(**self.spec)
        frame = Frame(agent_run_id="a1", path="s#1/t", stage="s", agent=who, task="t", visible=True)
        tools = ToolRound(frame, self._emit, self, self.record, parallel=2)
        loop = AgentLoop(frame, self._emit, tools, TOOLS, failed_rounds=3, hear=self.hear)
        return await loop.run(FIRST, self._ask, deadline or Deadline.after(10))

    def _emit(self, event: AnyRunEvent) -> None:
        self.events.append(event)

    async def _ask(
        self, messages: Sequence[Any], tools: Sequence[Any], deadline: Deadline
    ) -> Answer:
        step = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append((list(messages), tools))
        if isinstance(step, float):
            await asyncio.sleep(step)
            return answer("late")
        if isinstance(step, Exception):
            raise step
        return step

    def ask_first(self, call: RequestedTool) -> Ask | None:
        return self.asks.get(call.name)

    def interrupt(self, call: RequestedTool, ask: Ask) -> Interrupt:
        return Interrupt(
            interrupt_id=f"i-{call.name}",
            reason=ask.reason,
            message=ask.message,
            expires_at=datetime(2026, 1, 1, tzinfo=UTC),
            tool_call_id=call.tool_call_id,
        )

    def repeats(self, name: str) -> bool:
        return name not in self.once

    def booked(self, tool_call_id: str) -> None: ...

    async def call(self, call: RequestedTool, deadline: Deadline, **_: bool) -> ToolOutcome:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(self.slow.get(call.name, 0))
            self.called.append(call)
            if call.name in self.inside:
                raise self.inside[call.name]
        finally:
            self.running -= 1
        text = self.outcomes.get(call.name)
        return ToolOutcome(
            status="ok" if text is not None else "error",
            content=text or "Error: no",
            latency_ms=1,
            args_digest="d",
        )


async def test_results_go_back_in_the_order_of_the_calls() -> None:
    stage = Stage(
        [answer("", ("slow", "{}"), ("fast", "{}")), answer("done")],
        outcomes={"slow": "S", "fast": "F"},
        slow={"slow": 0.03},
    )
    assert (await stage.run()).text == "done"
    second = stage.asked[1][0]
    assert [message["role"] for message in second] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
    ]
    ids = [call["id"] for call in second[2]["tool_calls"]]
    assert [(m["tool_call_id"], m["content"]) for m in second[3:]] == [(ids[0], "S"), (ids[1], "F")]
    results = [event for event in stage.events if isinstance(event, ToolResult)]
    assert [event.tool for event in results] == ["fast", "slow"]


async def test_tools_run_side_by_side_but_no_more_than_allowed() -> None:
    names = [f"t{number}" for number in range(5)]
    stage = Stage(
        [answer("", *[(name, "{}") for name in names]), answer("done")],
        outcomes=dict.fromkeys(names, "x"),
        slow=dict.fromkeys(names, 0.01),
    )
    await stage.run()
    assert stage.most_running == 2


async def test_a_failed_call_leaves_its_siblings_alone() -> None:
    stage = Stage([answer("", ("bad", "{}"), ("good", "{}")), answer("ok")], outcomes={"good": "G"})
    await stage.run()
    assert [message["content"] for message in stage.asked[1][0][3:]] == ["Error: no", "G"]


async def test_after_max_iter_the_model_answers_once_more_without_tools() -> None:
    stage = Stage(
        [answer("", ("clock", "{}")), answer("", ("clock", "{}")), answer("final")],
        outcomes={"clock": "12"},
        spec={"max_iter": 2},
    )
    assert (await stage.run()).text == "final"
    assert [tools for _, tools in stage.asked] == [TOOLS, TOOLS, ()]
    assert stage.asked[-1][0][-1] == {"role": "user", "content": ANSWER_NOW}


async def test_a_model_that_never_answers_has_a_defined_end() -> None:
    stage = Stage([answer("", ("clock", "{}"))], outcomes={"clock": "12"}, spec={"max_iter": 3})
    with pytest.raises(AppError) as raised:
        await stage.run()
    assert raised.value.error_code == "iteration_limit"
    assert len(stage.asked) == 4
    results = [event.status for event in stage.events if isinstance(event, ToolResult)]
    assert results == ["ok", "ok", "ok", "cancelled"]


async def test_three_failed_rounds_in_a_row_end_in_the_forced_answer() -> None:
    bad = answer("", ("clock", '{"broken'))
    stage = Stage([bad, bad, bad, answer("without it")])
    assert (await stage.run()).text == "without it"
    assert len(stage.asked) == 4
    assert stage.asked[-1][1] == ()


async def test_broken_arguments_are_sent_back_as_json_that_every_vendor_takes() -> None:
    stage = Stage([answer("", ("clock", '{"broken')), answer("ok")])
    await stage.run()
    function = stage.asked[1][0][2]["tool_calls"][0]["function"]
    assert function["arguments"] == '{"invalid_arguments":"{\\"broken"}'


async def test_a_slow_step_is_an_iteration_timeout() -> None:
    stage = Stage([5.0], spec={"iteration_timeout_s": 0.02})
    with pytest.raises(AppError) as raised:
        await stage.run()
    assert raised.value.error_code == "iteration_timeout"


async def test_a_slow_tool_counts_into_its_iteration_and_ends_with_a_result() -> None:
    stage = Stage(
        [answer("", ("slow", "{}"), ("quick", "{}"))],
        outcomes={"slow": "S", "quick": "Q"},
        slow={"slow": 5},
        spec={"iteration_timeout_s": 0.05},
    )
    with pytest.raises(AppError) as raised:
        await stage.run()
    assert raised.value.error_code == "iteration_timeout"
    results = [event for event in stage.events if isinstance(event, ToolResult)]
    assert [(event.tool, event.status) for event in results] == [
        ("quick", "ok"),
        ("slow", "cancelled"),
    ]
    assert stage.running == 0


async def test_a_model_client_that_notices_the_limit_first_ends_the_same_way() -> None:
    late = ProviderError("slow", code="provider_timeout")
    stage = Stage([late], spec={"iteration_timeout_s": 0.0})
    with pytest.raises(AppError) as raised:
        await stage.run()
    assert raised.value.error_code == "iteration_timeout"


async def test_where_the_stages_time_is_over_that_is_what_is_said() -> None:
    with pytest.raises(AppError) as raised:
        await Stage([5.0]).run(Deadline.after(0.02))
    assert raised.value.error_code == "stage_timeout"


async def test_a_stop_while_tools_run_stops_them_and_answers_each_call() -> None:
    stage = Stage(
        [answer("", ("slow", "{}"), ("slow", "{}"), ("slow", "{}"))],
        outcomes={"slow": "S"},
        slow={"slow": 5},
    )
    running = asyncio.ensure_future(stage.run())
    await asyncio.sleep(0.02)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    results = [event.status for event in stage.events if isinstance(event, ToolResult)]
    assert results == ["cancelled"] * 3
    assert (stage.running, len(stage.asked)) == (0, 1)
