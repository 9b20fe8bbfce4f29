"""What a tool asks models, booked on the message of its own result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final

from callsheet.crew.asker import Asker, Question
from callsheet.crew.booked import Booked
from callsheet.crew.frame import Frame
from callsheet.crew.messages import user_message
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import Bill
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError, ToolFailed
from callsheet.kit.ids import new_id
from callsheet.llm.chat import ChatRequest
from callsheet.llm.registry import Models
from callsheet.turn.meter import CallEnd, CallIntent, Meter, OpenCall

PURPOSE: Final = "tool"


class CallModels:
    """Implements `tools.model_calls.ToolModels` for one call of a tool, until its deadline."""

    def __init__(
        self, tool: str, frame: Frame, asker: Asker, models: Models, deadline: Deadline
    ) -> None:
        self._frame = frame
        self._models = models
        self._deadline = deadline
        self._is_over = False
        self._books = _Books(tool)
        # Only the ledger hears of it: what the model says is for the tool, and no part of the turn.
        self._asker = asker.aside(self._books.over, _unheard)

    def close(self) -> None:
        """The call has ended: what its tool left running asks no more."""
        self._is_over = True

    @property
    def booked(self) -> Booked | None:
        """What was spent; None where no model was asked."""
        books = self._books
        return Booked(books.message_id, books.bill) if books.is_open else None

    async def ask(
        self,
        asked: str | Sequence[Mapping[str, Any]],
        *,
        model: str | None = None,
        max_output_tokens: int | None = None,
    ) -> str:
        """The text of the whole answer; see `ToolModels.ask`."""
        if self._is_over:
            raise ToolFailed("The call has ended.")
        code = model or self._frame.agent.default_model
        messages = (user_message(asked),) if isinstance(asked, str) else tuple(asked)
        try:
            request = ChatRequest(
                model=self._models.get(code),
                messages=messages,
                max_output_tokens=max_output_tokens,
            )
            answer = await self._asker.ask(
                Question(
                    frame=self._frame,
                    request=request,
                    iteration=0,
                    deadline=self._deadline,
                    metadata={},
                    purpose=PURPOSE,
                )
            )
        except AppError as error:
            raise ToolFailed(
                f"The model {code!r} could not be asked ({error.error_code})."
            ) from error
        return answer.text


class _Books:
    """Of one call of a tool: all its attempts at models are numbered and booked together."""

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.message_id = str(new_id())
        self.bill: Bill | None = None
        self.is_open = False
        self.numbers = count(1)

    def over(self, meter: Meter) -> Meter:
        """The meter of the run, for this tool."""
        return _ToolMeter(meter, self)


class _ToolMeter:
    """Implements `turn.meter.Meter`."""

    def __init__(self, meter: Meter, books: _Books) -> None:
        self._meter = meter
        self._books = books

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed."""
        await self._meter.stored()

    async def open(self, intent: CallIntent) -> OpenCall:
        """See `Meter.open`."""
        books = self._books
        books.is_open = True  # the row may be there also where it could not be opened
        mine = replace(
            intent, message_id=books.message_id, attempt=next(books.numbers), tool=books.tool
        )
        return _ToolCall(await self._meter.open(mine), books)


class _ToolCall:
    """Implements `turn.meter.OpenCall`."""

    def __init__(self, call: OpenCall, books: _Books) -> None:
        self._call = call
        self._books = books

    @property
    def call_id(self) -> str:
        """The ledger row's id."""
        return self._call.call_id

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed."""
        await self._call.stored()

    def close(self, end: CallEnd) -> Bill:
        """Settle it; the bill of the message so far is what the tool has spent."""
        self._books.bill = self._call.close(end)
        return self._books.bill


def _unheard(event: AnyRunEvent) -> None:
    """Nobody is told."""
    del event
