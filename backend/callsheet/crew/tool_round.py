"""The tools of one answer, run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from callsheet.crew.answer import Answer
from callsheet.crew.frame import Frame
from callsheet.crew.tool_results import stopped_result, tool_result, unknown_result
from callsheet.events.call import RequestedTool
from callsheet.events.tool import ToolResult, ToolStarted
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import QuotaSpent
from callsheet.tools.invoke import ToolOutcome
from callsheet.turn.ports import Emit
from callsheet.turn.record import Record


class Tools(Protocol):
    """What an agent may call."""

    def repeats(self, name: str) -> bool:
        """Whether a call may be made again when nobody knows how the first one went."""
        ...

    async def call(self, call: RequestedTool, deadline: Deadline) -> ToolOutcome:
        """Run it. Every failure is an outcome; cancellation and QuotaSpent leave it."""
        ...


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What goes back to the model for one call."""

    tool_call_id: str
    content: str
    ok: bool


class ToolRound:
    """Runs what an answer asks for: side by side, a few at a time, each with its result event.

    A call that has its result in `record` is not made again. One that was begun and has none is
    made again, under the same id, only where the tool takes that.
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
        """
        replies: dict[str, ToolReply] = {}
        gate = asyncio.Semaphore(self._parallel)
        try:
            async with asyncio.TaskGroup() as group:
                for call in answer.tool_calls:
                    group.create_task(self._one(call, deadline, gate, replies))
        except BaseException as error:
            for call in answer.tool_calls:
                if call.tool_call_id not in replies:
                    self._emit(stopped_result(self._frame, call))
            spent = _spent(error)
            if spent is not None:
                raise spent from error
            raise
        return [replies[call.tool_call_id] for call in answer.tool_calls]

    async def _one(
        self,
        call: RequestedTool,
        deadline: Deadline,
        gate: asyncio.Semaphore,
        replies: dict[str, ToolReply],
    ) -> None:
        stored = self._record.results.get(call.tool_call_id)
        if stored is not None:
            replies[call.tool_call_id] = _reply(stored)
            return
        async with gate:
            result = await self._result(call, deadline)
            replies[call.tool_call_id] = _reply(result)
            self._emit(result)

    async def _result(self, call: RequestedTool, deadline: Deadline) -> ToolResult:
        if call.tool_call_id in self._record.begun and not self._tools.repeats(call.name):
            return unknown_result(self._frame, call)
        self._emit(ToolStarted(tool_call_id=call.tool_call_id))
        return tool_result(self._frame, call, await self._tools.call(call, deadline))


def _reply(result: ToolResult) -> ToolReply:
    return ToolReply(result.tool_call_id, result.content, result.status == "ok")


def _spent(error: BaseException) -> QuotaSpent | None:
    """The spent budget that ended the round, out of the groups that its siblings' end made."""
    if isinstance(error, QuotaSpent):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for each in error.exceptions if (found := _spent(each))), None)
    return None
