"""An agent at work: ask the model, run its tools, ask again, until it has answered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

from callsheet.crew.answer import Answer
from callsheet.crew.frame import Frame
from callsheet.crew.messages import (
    ANSWER_NOW,
    ChatMessage,
    assistant_message,
    tool_message,
    user_message,
)
from callsheet.crew.tool_results import stopped_result
from callsheet.crew.tool_round import ToolRound
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError, TimedOut, TurnFailed
from callsheet.turn.ports import Emit


class Ask(Protocol):
    """Gets the model's next answer."""

    async def __call__(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Mapping[str, Any]],
        deadline: Deadline,
    ) -> Answer: ...


Hear = Callable[[int], Awaitable[Sequence[ChatMessage]]]
"""What came for the model before the answer of that number, counted from 0."""


async def nothing_heard(iteration: int) -> Sequence[ChatMessage]:
    """Nothing comes."""
    del iteration
    return ()


class AgentLoop:
    """One execution of an agent. It owns the messages; nothing else changes them."""

    def __init__(
        self,
        frame: Frame,
        emit: Emit,
        tool_round: ToolRound,
        tools: Sequence[Mapping[str, Any]],
        *,
        failed_rounds: int,
        hear: Hear = nothing_heard,
    ) -> None:
        self._hear = hear
        self._frame = frame
        self._emit = emit
        self._tool_round = tool_round
        self._tools = tools
        self._failed_rounds = failed_rounds

    async def run(self, messages: Sequence[ChatMessage], ask: Ask, deadline: Deadline) -> Answer:
        """The final answer.

        After `max_iter` answers that asked for tools, or after several rounds of failed calls in
        a row, the model has to answer once more, without tools.

        Raises:
            TurnFailed: `iteration_timeout`, or `iteration_limit` where that last answer says
                nothing.
            ProviderError, Unpriced: a model call failed.
        """
        talk = list(messages)
        agent = self._frame.agent
        asked = failed = 0
        while asked < agent.max_iter:
            async with self._iteration(deadline) as limit:
                talk += await self._hear(asked)
                answer = await ask(talk, self._tools, limit)
                if not answer.tool_calls:
                    return answer
                replies = await self._tool_round.run(answer, limit)
            asked += 1
            talk.append(assistant_message(answer))
            talk += [tool_message(reply.tool_call_id, reply.content) for reply in replies]
            failed = 0 if any(reply.ok for reply in replies) else failed + 1
            if failed >= self._failed_rounds:
                break
        async with self._iteration(deadline) as limit:
            talk += await self._hear(asked)
            return self._last(await ask([*talk, user_message(ANSWER_NOW)], (), limit))

    def _last(self, answer: Answer) -> Answer:
        for call in answer.tool_calls:
            self._emit(stopped_result(self._frame, call))
        if answer.tool_calls and not answer.text:
            raise TurnFailed(
                f"Agent {self._frame.agent.name!r} went on asking for tools after its "
                f"{self._frame.agent.max_iter} rounds.",
                code="iteration_limit",
            )
        return answer

    @asynccontextmanager
    async def _iteration(self, deadline: Deadline) -> AsyncIterator[Deadline]:
        seconds = self._frame.agent.iteration_timeout_s
        limit = deadline.within(seconds)
        timeout = limit.timeout()
        try:
            async with timeout:
                yield limit
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise self._late(deadline, seconds) from error
        except AppError as error:
            # The model's client keeps the same limit and may notice it first.
            if limit.passed() and error.error_code == "provider_timeout":
                raise self._late(deadline, seconds) from error
            raise

    def _late(self, deadline: Deadline, seconds: float) -> AppError:
        name = self._frame.agent.name
        if deadline.passed():
            return TimedOut(f"Agent {name!r} ran out of the stage's time.", code="stage_timeout")
        return TurnFailed(
            f"Agent {name!r} took longer than {seconds:g} s for one step.",
            code="iteration_timeout",
        )
