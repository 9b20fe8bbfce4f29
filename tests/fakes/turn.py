"""The engine's side of a stage: a recorder that checks order, a meter without a database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from callsheet.events.call import AnswerFinished, LlmCallFinished, LlmCallStarted
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunFinished, RunStarted
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.text import TextDelta
from callsheet.events.tool import ToolCallStarted, ToolResult
from callsheet.events.union import AnyRunEvent, dump_event, parse_event
from callsheet.events.usage import Bill, MeteredUsage, Usage
from callsheet.kit.errors import QuotaSpent, Unpriced
from callsheet.kit.ids import new_id
from callsheet.turn.meter import CallEnd, CallIntent

EventT = TypeVar("EventT")
NOT_SENT = MeteredUsage(usage=Usage(), source="none")


class Recording:
    """An `Emit` that keeps what it gets; an event that may not come fails the test at once."""

    def __init__(self, stage: str | None = None) -> None:
        self.events: list[Any] = []
        self._order = OrderChecker()
        self(RunStarted(workflow="w", revision="r", session_id="s", trace_id="t"))
        if stage is not None:
            self(StageStarted(stage=stage))
        self._stage = stage

    def __call__(self, event: AnyRunEvent) -> None:
        self._order.check(event)
        parse_event(dump_event(event))
        self.events.append(event)

    def carry(self, tool_call_ids: Iterable[str]) -> None:
        """An earlier run asked for these calls."""
        self._order.carry(tool_call_ids)

    def end(self) -> None:
        """End the run; fails where anything is still open."""
        if self._stage is not None:
            self(StageFinished(stage=self._stage, status="done"))
        asked = {event.tool_call_id for event in self.of(ToolCallStarted)}
        answered = {event.tool_call_id for event in self.of(ToolResult)}
        assert asked == answered, "a tool call has no result"
        begun = {event.message_id for event in self.of(LlmCallStarted)}
        finished = [event.message_id for event in self.of(AnswerFinished)]
        assert sorted(begun) == sorted(finished), "a message is not finished once"
        self(RunFinished())

    def of(self, kind: type[EventT]) -> list[EventT]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def kinds(self) -> list[str]:
        """The names of all events, in order."""
        return [type(event).__name__ for event in self.events]

    @property
    def text(self) -> str:
        """All text deltas, joined."""
        return "".join(event.text for event in self.of(TextDelta))


@dataclass
class FakeCall:
    """An `OpenCall`."""

    meter: FakeMeter
    started: LlmCallStarted
    bill: Bill | None = None

    @property
    def call_id(self) -> str:
        return self.started.call_id

    async def stored(self) -> None:
        """At once: nothing is stored here."""

    def close(self, end: CallEnd) -> Bill:
        if self.bill is None:
            self.meter.emit(
                LlmCallFinished(
                    call_id=self.call_id,
                    message_id=self.started.message_id,
                    status=end.status,
                    metered=end.metered,
                    cost_native=Decimal(0),
                    cost_exact=Decimal(0),
                    latency_ms=0,
                    first_token_at=end.first_token_at,
                    finish_reason=end.finish_reason,
                    error_code=end.error_code,
                    upstream_id=end.upstream_id,
                    response_model=end.response_model,
                )
            )
            self.bill = Bill(
                message_id=self.started.message_id,
                seq=1,
                model=self.started.model,
                usage=end.metered.usage,
                cost=Decimal(0),
                currency="USD",
                latency_ms=0,
                estimated=end.metered.source == "estimated",
            )
        return self.bill


@dataclass
class FakeMeter:
    """A `Meter`. `commit_s`: how long a row takes to be committed; `unpriced`: model codes.

    `calls_within_budget`: how many calls the budget lets through.
    """

    emit: Any
    commit_s: float = 0.0
    unpriced: frozenset[str] = frozenset()
    calls_within_budget: int | None = None
    calls: list[FakeCall] = field(default_factory=list)
    committed: list[AnyRunEvent] = field(default_factory=list)

    async def stored(self) -> None:
        """At once: all that was emitted is committed now."""
        self.committed = list(getattr(self.emit, "events", ()))

    async def open(self, intent: CallIntent) -> FakeCall:
        if intent.model in self.unpriced:
            raise Unpriced(f"{intent.model} has no price")
        started = LlmCallStarted(
            call_id=str(new_id()),
            message_id=intent.message_id,
            agent_run_id=intent.agent_run_id,
            stage=intent.stage,
            agent=intent.agent,
            task=intent.task,
            factory=intent.factory,
            model=intent.model,
            attempt=intent.attempt,
            started_at=datetime.fromtimestamp(time.time(), UTC),
            price_id=str(new_id()),
            reserved_cost=Decimal(0),
            estimated_input_tokens=intent.estimated_input_tokens,
            currency="USD",
            visible=intent.visible,
            purpose=intent.purpose,
        )
        self.emit(started)
        call = FakeCall(self, started)
        self.calls.append(call)
        try:
            await asyncio.sleep(self.commit_s)
        except BaseException:
            call.close(CallEnd(status="aborted", metered=NOT_SENT))
            raise
        within = self.calls_within_budget
        if within is not None and len(self.calls) > within:
            call.close(CallEnd(status="refused", metered=NOT_SENT, error_code="budget_spent"))
            raise QuotaSpent("The budget is spent.", code="budget_spent", scope="run")
        return call
