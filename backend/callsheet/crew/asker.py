"""One answer of a model: attempts, each with its ledger row, until one goes through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from callsheet.crew.answer import Answer
from callsheet.crew.attempt import Attempt
from callsheet.crew.bridge import AnswerBridge
from callsheet.crew.frame import Frame
from callsheet.crew.rates import NoRates, RunRates
from callsheet.crew.tool_results import stopped_result
from callsheet.events.call import AnswerFinished, MessageStatus
from callsheet.events.source import SourceFound
from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import RateLimited, Unpriced
from callsheet.kit.ids import new_id
from callsheet.llm.chat import ChatRequest
from callsheet.llm.errors import ProviderError
from callsheet.llm.protocol import ChatClient
from callsheet.llm.retry import RetryPolicy, next_wait
from callsheet.llm.tokens import estimate_messages
from callsheet.turn.grounds import grounds
from callsheet.turn.meter import CallIntent, Meter, OpenCall
from callsheet.turn.ports import Emit


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, and by when the answer must be there.

    `iteration` counts the answers of one execution from 0; `metadata` goes to the message.
    `sources` are those of the turn, and may grow until the answer is there.
    """

    frame: Frame
    request: ChatRequest
    iteration: int
    deadline: Deadline
    metadata: Mapping[str, Any]
    purpose: str = "answer"
    sources: Sequence[SourceFound] = ()


class Asker:
    """Asks models for one run."""

    def __init__(
        self,
        client: ChatClient,
        meter: Meter,
        emit: Emit,
        clock: Clock,
        retry: RetryPolicy,
        rates: RunRates | None = None,
    ) -> None:
        self._client = client
        self._meter = meter
        self._emit = emit
        self._clock = clock
        self._retry = retry
        self._rates = rates or NoRates()

    def aside(self, over: Callable[[Meter], Meter], emit: Emit) -> Asker:
        """One that asks the same models at the same rates, with a meter over this one's."""
        meter = over(self._meter)
        return Asker(self._client, meter, emit, self._clock, self._retry, self._rates)

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed."""
        await self._meter.stored()

    async def ask(self, question: Question) -> Answer:
        """The model's whole answer, streamed as events on its way.

        All attempts book on one message, which is ended with AnswerFinished on every way out.

        Raises:
            ProviderError: no attempt went through, or one broke off after its first byte.
            Refused: no price, no money left or no room at the provider; nothing was sent.
        """
        message_id = str(new_id())
        begun = False
        for number in count(1):
            bridge = AnswerBridge(question.frame, message_id, self._emit)
            intent = _intent(question, message_id, number)
            try:
                async with self._rates.turn(intent.factory, _most(intent), question.deadline):
                    begun = True
                    call = await self._meter.open(intent)
                await self._attempt(question, bridge, call, intent)
            except (Unpriced, RateLimited):  # nothing of this attempt was written
                if number > 1:
                    self._break_off(question, bridge, "partial")
                raise
            except ProviderError as error:
                wait_s = next_wait(error, number, question.deadline, self._retry)
                if wait_s is None:
                    self._break_off(question, bridge, "partial")
                    raise
            except BaseException:
                if begun:
                    self._break_off(question, bridge, "final" if bridge.complete else "partial")
                raise
            else:
                return self._finish(question, bridge, "final")
            try:
                await asyncio.sleep(wait_s)
            except BaseException:
                self._break_off(question, bridge, "partial")
                raise
        raise AssertionError("unreachable: the retry policy ends the attempts")

    async def _attempt(
        self, question: Question, bridge: AnswerBridge, call: OpenCall, intent: CallIntent
    ) -> None:
        request = question.request
        estimated = intent.estimated_input_tokens
        attempt = Attempt(call, bridge, request.model, estimated, self._clock)
        await attempt.run(self._client.stream(request, question.deadline))

    def _break_off(self, question: Question, bridge: AnswerBridge, status: MessageStatus) -> None:
        """End the answer, and the tool calls that it asked for: none of them will run."""
        answer = self._finish(question, bridge, status)
        for call in answer.tool_calls:
            self._emit(stopped_result(question.frame, call))

    def _finish(self, question: Question, bridge: AnswerBridge, status: MessageStatus) -> Answer:
        answer = bridge.answer()
        self._emit(
            AnswerFinished(
                message_id=answer.message_id,
                status=status,
                text=answer.text,
                path=question.frame.path,
                iteration=question.iteration,
                reasoning=answer.reasoning,
                tool_calls=answer.tool_calls,
                metadata=_metadata(question, answer),
            )
        )
        return answer


def _intent(question: Question, message_id: str, number: int) -> CallIntent:
    frame, request = question.frame, question.request
    return CallIntent(
        message_id=message_id,
        agent_run_id=frame.agent_run_id,
        stage=frame.stage,
        agent=frame.agent.name,
        task=frame.task,
        factory=request.model.factory,
        model=request.model.model_code,
        attempt=number,
        visible=frame.visible,
        estimated_input_tokens=estimate_messages(request.messages, request.tools),
        max_output_tokens=request.max_output_tokens or request.model.max_output_tokens,
        purpose=question.purpose,
    )


def _metadata(question: Question, answer: Answer) -> dict[str, Any]:
    """What an answer to the user rests on is told with it; a call for tools is no answer yet."""
    is_answer = question.frame.visible and answer.text and not answer.tool_calls
    return {**question.metadata, **(grounds(question.sources) if is_answer else {})}


def _most(intent: CallIntent) -> int:
    return intent.estimated_input_tokens + intent.max_output_tokens
