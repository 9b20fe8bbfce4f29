"""The tools of one answer, run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from callsheet.crew.answer import Answer
from callsheet.crew.booked import Booked
from callsheet.crew.decisions import Go, decided, noted
from callsheet.crew.frame import Frame
from callsheet.crew.tool_results import (
    stopped_result,
    taken_back,
    tool_result,
    unknown_result,
    with_booked,
)
from callsheet.events.call import RequestedTool
from callsheet.events.interrupt import Interrupt
from callsheet.events.tool import ToolResult, ToolStarted
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import QuotaSpent
from callsheet.tools.invoke import ToolOutcome
from callsheet.tools.pause import Ask, NeedsPerson
from callsheet.turn.paused import Paused
from callsheet.turn.ports import Emit
from callsheet.turn.record import Record


class Tools(Protocol):
    """What an agent may call."""

    def repeats(self, name: str) -> bool:
        """Whether a call may be made again when nobody knows how the first one went."""
        ...

    def ask_first(self, call: RequestedTool) -> Ask | None:
        """What has to be known before the call is made; None where it may be made."""
        ...

    def interrupt(self, call: RequestedTool, ask: Ask) -> Interrupt:
        """The question as the run ends with it."""
        ...

    def booked(self, tool_call_id: str) -> Booked | None:
        """What the call has spent on models of its own; None where it asked none."""
        ...

    async def call(
        self, call: RequestedTool, deadline: Deadline, *, is_approved: bool = False
    ) -> ToolOutcome:
        """Run it; `is_approved`: a person has allowed this very call.

        Every failure is an outcome; cancellation, QuotaSpent and questions leave it.
        """
        ...


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What goes back to the model for one call."""

    tool_call_id: str
    content: str
    ok: bool


@dataclass(slots=True)
class _Round:
    """What has come of the calls so far, by their ids: replies, and what is waited for."""

    replies: dict[str, ToolReply] = field(default_factory=dict)
    waiting: dict[str, tuple[Interrupt, ...]] = field(default_factory=dict)


class ToolRound:
    """Runs what an answer asks for: side by side, a few at a time, each with its result event.

    A call that has its result in `record` is not made again. One that was begun and has none is
    made again, under the same id, only where the tool takes that. What people said to a call is its
    result, or lets it be made.
    """

    def __init__(
        self, frame: Frame, emit: Emit, tools: Tools, record: Record, *, parallel: int
    ) -> None:
        self._frame = frame
        self._emit = emit
        self._tools = tools
        self._record = record
        self._parallel = parallel

    async def run(self, answer: Answer, deadline: Deadline) -> Sequence[ToolReply]:
        """The replies, in the order of the calls. A failed call stops none of its siblings.

        When it is cancelled, every call that has no result yet gets one that says so; so it is
        where a spent budget ends the turn.

        Raises:
            QuotaSpent: a coworker was not let ask its model.
            Paused: some of them wait for people; all the others are done.
        """
        round_ = _Round()
        gate = asyncio.Semaphore(self._parallel)
        try:
            async with asyncio.TaskGroup() as group:
                for call in answer.tool_calls:
                    group.create_task(self._one(call, deadline, gate, round_))
        except BaseException as error:
            for call in answer.tool_calls:
                if call.tool_call_id not in round_.replies:
                    booked = self._tools.booked(call.tool_call_id)
                    self._emit(with_booked(stopped_result(self._frame, call), booked))
            spent = _spent(error)
            if spent is not None:
                raise spent from error
            raise
        ids = [call.tool_call_id for call in answer.tool_calls]
        if round_.waiting:
            raise Paused(tuple(each for id_ in ids for each in round_.waiting.get(id_, ())))
        return [round_.replies[id_] for id_ in ids]

    async def _one(
        self,
        call: RequestedTool,
        deadline: Deadline,
        gate: asyncio.Semaphore,
        round_: _Round,
    ) -> None:
        id_ = call.tool_call_id
        stored = self._record.results.get(id_)
        if stored is not None:
            round_.replies[id_] = _reply(stored)
            return
        async with gate:
            try:
                result = await self._result(call, deadline)
            except NeedsPerson as needs:
                if (booked := self._tools.booked(id_)) is not None:
                    self._emit(taken_back(booked))
                round_.waiting[id_] = (self._tools.interrupt(call, needs.ask),)
            except Paused as coworker:
                round_.waiting[id_] = coworker.interrupts
            else:
                round_.replies[id_] = _reply(result)
                self._emit(result)

    async def _result(self, call: RequestedTool, deadline: Deadline) -> ToolResult:
        said = self._record.decisions.get(call.tool_call_id)
        go = Go(call) if said is None else decided(call, said)
        if not isinstance(go, Go):
            is_clients = said is not None and said.reason == "client_tool"
            return tool_result(self._frame, call, go, is_clients=is_clients)
        ask = self._tools.ask_first(call) if said is None else None
        if ask is not None:
            raise NeedsPerson(ask)
        if call.tool_call_id in self._record.begun and not self._tools.repeats(call.name):
            return unknown_result(self._frame, call)
        self._emit(ToolStarted(tool_call_id=call.tool_call_id))
        is_approved = said is not None and said.reason == "approval"
        outcome = await self._tools.call(go.call, deadline, is_approved=is_approved)
        result = tool_result(self._frame, call, noted(outcome, go.note))
        return with_booked(result, self._tools.booked(call.tool_call_id))


def _reply(result: ToolResult) -> ToolReply:
    return ToolReply(result.tool_call_id, result.content, result.status == "ok")


def _spent(error: BaseException) -> QuotaSpent | None:
    """The spent budget that ended the round, out of the groups that its siblings' end made."""
    if isinstance(error, QuotaSpent):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for each in error.exceptions if (found := _spent(each))), None)
    return None
