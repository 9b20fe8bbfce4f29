"""How one agent asks its model during one execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from callsheet.crew.answer import Answer, answer_of
from callsheet.crew.asker import Asker, Question
from callsheet.crew.frame import Frame
from callsheet.events.interrupt import Interrupt
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import QuotaSpent
from callsheet.llm.chat import ChatRequest
from callsheet.llm.model import Model, Reasoning
from callsheet.turn.paused import Paused
from callsheet.turn.record import Record

OnSpent = Callable[[QuotaSpent], Interrupt | None]


def unasked(spent: QuotaSpent) -> Interrupt | None:
    """Nobody is asked."""
    del spent
    return None


class Speaker:
    """An agent's model with the agent's own settings. Counts the answers of the execution.

    An answer that `record` holds is given again; the model is not asked.
    """

    def __init__(
        self,
        asker: Asker,
        frame: Frame,
        model: Model,
        output_schema: Mapping[str, Any] | None,
        record: Record,
        on_spent: OnSpent = unasked,
    ) -> None:
        """`on_spent` gives what is asked instead of failing where a budget is spent."""
        self.frame = frame
        self._record = record
        self._on_spent = on_spent
        self.model = model
        self._asker = asker
        self._output_schema = output_schema
        self._metadata: dict[str, Any] = {}
        self._answers = 0

    def note(self, *, turns_left_out: int) -> None:
        """Have every answer say how much of the history the model could not be shown."""
        if turns_left_out:
            self._metadata["history_turns_left_out"] = turns_left_out

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        deadline: Deadline,
    ) -> Answer:
        """The next answer; see `Asker.ask` for what it raises."""
        iteration = self._answers
        self._answers += 1
        stored = self._record.answer(self.frame.path, iteration)
        if stored is not None:
            return answer_of(stored)
        agent = self.frame.agent
        request = ChatRequest(
            model=self.model,
            messages=tuple(messages),
            tools=tuple(tools) if self.model.native_tools else (),
            temperature=agent.temperature,
            max_output_tokens=agent.max_output_tokens,
            reasoning=cast("Reasoning | None", agent.reasoning),
            response_format=None if tools else _response_format(self.model, self._output_schema),
        )
        question = Question(
            frame=self.frame,
            request=request,
            iteration=iteration,
            deadline=deadline,
            metadata=self._metadata,
            sources=self._record.sources,
        )
        try:
            return await self._asker.ask(question)
        except QuotaSpent as spent:
            asked = self._on_spent(spent)
            if asked is None:
                raise
            raise Paused((asked,)) from spent


def _response_format(model: Model, schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """What the endpoint is told about the form of the answer; None where it would refuse."""
    if schema is None or model.structured_output == "none":
        return None
    if model.structured_output == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}
