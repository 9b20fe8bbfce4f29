"""CrewAI's idea of a model, with ours behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NoReturn

from crewai import BaseLLM
from pydantic import PrivateAttr

from callsheet.crew.answer import Answer
from callsheet.crew.part import Part
from callsheet.kit.deadline import Deadline
from callsheet.kit.log import log_context, log_ids
from callsheet.llm.tokens import estimate_messages


class CrewModel(BaseLLM):
    """The model of one agent in one execution. Only `acall` works, and only for our executor."""

    llm_type: str = "callsheet"
    _part: Part | None = PrivateAttr(default=None)
    _given: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)
    _log_ids: dict[str, Any] = PrivateAttr(default_factory=dict)

    def speak_for(self, part: Part) -> CrewModel:
        """Belong to `part` from now on; gives itself."""
        self._part = part
        self._log_ids = log_ids()
        self._given.set()
        return self

    def speak_no_more(self) -> None:
        """Belong to nobody, where there is no part yet: whoever waits for one is let go."""
        self._given.set()

    @asynccontextmanager
    async def performing(self) -> AsyncIterator[Part]:
        """The part, as soon as it has one; what is logged inside carries its run's ids.

        Raises:
            CancelledError: there will be none.
        """
        await self._given.wait()
        if self._part is None:
            raise asyncio.CancelledError
        with log_context(**self._log_ids):
            yield self._part

    @property
    def part(self) -> Part:
        """The execution that it belongs to."""
        if self._part is None:
            raise RuntimeError("Nobody has been given this part.")
        return self._part

    def call(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Always refused: it would block the event loop and escape the ledger.

        Raises:
            RuntimeError: something in CrewAI asked for a model call outside our loop.
        """
        raise RuntimeError("CrewAI asked for a blocking model call; only acall() is metered.")

    async def acall(  # type: ignore[override]  # ours to call, with the messages of our loop
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        deadline: Deadline,
    ) -> Answer:
        """The next answer; see `Speaker.ask`."""
        return await self.part.speaker.ask(messages, tools, deadline)

    # CrewAI wraps every `acall` in retries of its own; this mark keeps it from doing so here.
    acall._crewai_rate_limit_wrapped = True  # type: ignore[attr-defined]

    def supports_function_calling(self) -> bool:
        """Whether tools may be offered."""
        return self._part is None or self._part.speaker.model.native_tools

    def get_context_window_size(self) -> int:
        """The model's window, in tokens."""
        return self.part.speaker.model.context_window_tokens

    def get_input_tokens_count(self, messages: Any, *_args: Any, **_kwargs: Any) -> int:
        """Our own estimate: CrewAI's logs a warning each time."""
        if isinstance(messages, str):
            return estimate_messages([{"role": "user", "content": messages}])
        return estimate_messages(messages)
