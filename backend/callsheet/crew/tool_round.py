"""The tools of one answer, run side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from callsheet.crew.answer import Answer
from callsheet.crew.frame import Frame
from callsheet.crew.tool_results import stopped_result, tool_result
from callsheet.events.call import RequestedTool
from callsheet.events.tool import ToolStarted
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import QuotaSpent
from callsheet.tools.invoke import ToolOutcome
from callsheet.turn.ports import Emit


class CallTool(Protocol):
    """Runs one tool call. Every failure is an outcome; cancellation and QuotaSpent leave it."""

    async def __call__(self, call: RequestedTool, deadline: Deadline) -> ToolOutcome: ...


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What goes back to the model for one call."""

    tool_call_id: str
    content: str
    ok: bool


class ToolRound:
    """Runs what an answer asks for: side by side, a few at a time, each with its result event."""

    def __init__(self, frame: Frame, emit: Emit, call_tool: CallTool, *, parallel: int) -> None:
        self._frame = frame
        self._emit = emit
        self._call_tool = call_tool
        self._parallel = parallel

    async def run(self, answer: Answer, deadline: Deadline) -> Sequence[ToolReply]:
        """The replies, in the order of the calls. A failed call stops none of its siblings.

        When it is cancelled, every call that has no result yet gets one that says so; so it is
        where a spent budget ends the turn.

        Raises:
            QuotaSpent: a coworker was not let ask its model.
        """
        outcomes: dict[str, ToolOutcome] = {}
        gate = asyncio.Semaphore(self._parallel)
        try:
            async with asyncio.TaskGroup() as group:
                for call in answer.tool_calls:
                    group.create_task(self._one(call, deadline, gate, outcomes))
        except BaseException as error:
            for call in answer.tool_calls:
                if call.tool_call_id not in outcomes:
                    self._emit(stopped_result(self._frame, call))
            spent = _spent(error)
            if spent is not None:
                raise spent from error
            raise
        return [
            ToolReply(
                tool_call_id=call.tool_call_id,
                content=outcomes[call.tool_call_id].content,
                ok=outcomes[call.tool_call_id].status == "ok",
            )
            for call in answer.tool_calls
        ]

    async def _one(
        self,
        call: RequestedTool,
        deadline: Deadline,
        gate: asyncio.Semaphore,
        outcomes: dict[str, ToolOutcome],
    ) -> None:
        async with gate:
            self._emit(ToolStarted(tool_call_id=call.tool_call_id))
            outcome = await self._call_tool(call, deadline)
            outcomes[call.tool_call_id] = outcome
            self._emit(tool_result(self._frame, call, outcome))


def _spent(error: BaseException) -> QuotaSpent | None:
    """The spent budget that ended the round, out of the groups that its siblings' end made."""
    if isinstance(error, QuotaSpent):
        return error
    if isinstance(error, BaseExceptionGroup):
        return next((found for each in error.exceptions if (found := _spent(each))), None)
    return None
