"""One request to a provider, from its open ledger row to its settled one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Final

from callsheet.crew.bridge import AnswerBridge
from callsheet.events.call import CallStatus
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.clock import Clock
from callsheet.llm.chat import ChatPart, HeadPart, UsagePart
from callsheet.llm.errors import ProviderError
from callsheet.llm.model import Model
from callsheet.llm.tokens import estimate_tokens
from callsheet.llm.usage.metered import metered
from callsheet.turn.meter import CallEnd, OpenCall

# The provider said no before it worked, or was never reached: it bills nothing.
_FREE: Final = frozenset(
    {"provider_unreachable", "provider_rate_limited", "provider_error", "provider_refused"}
)


class Attempt:
    """Reads one stream into the bridge and settles its call, exactly once, on every way out.

    What is booked: the provider's own usage of an answer that has an end. Without it, nothing where
    the provider refused or was not reached; else an estimate, of the whole prompt and of what had
    arrived, because a provider that broke off or was cut off bills what it had done.
    """

    def __init__(
        self,
        call: OpenCall,
        bridge: AnswerBridge,
        model: Model,
        estimated_input_tokens: int,
        clock: Clock,
    ) -> None:
        self._call = call
        self._bridge = bridge
        self._model = model
        self._estimated_input = estimated_input_tokens
        self._clock = clock
        self._usage: UsagePart | None = None
        self._head: HeadPart | None = None
        self._first_token_at: datetime | None = None

    async def run(self, stream: AsyncGenerator[Sequence[ChatPart], None]) -> None:
        """Read to the end.

        Raises:
            ProviderError: the stream failed, ended without a word, or was filtered.
        """
        try:
            async for parts in stream:
                if self._take(parts):
                    await self._call.stored()  # the first words are shown before more is read
                else:
                    await asyncio.sleep(0)  # the journal gets its turn before more is read
            self._judge()
        except ProviderError as error:
            self._settle("failed", error)
            raise
        except BaseException:
            try:
                # Stopped between the provider's last word and the end of its stream: it is whole.
                self._settle("settled" if self._bridge.complete else "aborted", None)
            finally:  # a journal that has failed takes no end of a call
                await stream.aclose()
            raise
        self._settle("settled", None)

    def _take(self, parts: Sequence[ChatPart]) -> bool:
        """Whether these are the first words."""
        for part in parts:
            if isinstance(part, UsagePart):
                self._usage = part
            elif isinstance(part, HeadPart):
                self._head = part
        self._bridge.take(parts)
        if self._first_token_at is not None or not self._bridge.has_content:
            return False
        self._first_token_at = self._clock.now()
        return True

    def _judge(self) -> None:
        bridge = self._bridge
        if bridge.finish_reason == "content_filter":
            raise ProviderError(
                f"{self._model.factory} filtered the answer.", code="content_filter", answered=True
            )
        if bridge.finish_reason is None and not bridge.has_content:
            raise ProviderError(
                f"{self._model.factory} sent a stream without an answer.", code="provider_empty"
            )

    def _settle(self, status: CallStatus, error: ProviderError | None) -> None:
        end = CallEnd(
            status=status,
            metered=self._metered(status, error),
            first_token_at=self._first_token_at,
            finish_reason=self._bridge.finish_reason,
            error_code=_error_code(status, error),
            upstream_id=self._head.upstream_id if self._head else None,
            response_model=self._head.response_model if self._head else None,
        )
        self._bridge.end(self._call.close(end))

    def _metered(self, status: CallStatus, error: ProviderError | None) -> MeteredUsage:
        if self._usage is None and error is not None and _is_free(error):
            return MeteredUsage(usage=Usage(), source="none")
        ended = status == "settled" or self._bridge.finish_reason is not None
        if self._usage is None:
            raw, final = None, ended
        else:
            raw, final = self._usage.raw, ended and not self._usage.words_followed
        return metered(raw, self._estimate(), self._model.usage_dialect, final=final)

    def _estimate(self) -> Usage:
        answer = self._bridge.answer()
        reasoning = estimate_tokens(answer.reasoning)
        calls = "".join(f"{call.name} {call.arguments}" for call in answer.tool_calls)
        return Usage(
            input_tokens=self._estimated_input,
            output_tokens=estimate_tokens(answer.text) + reasoning + estimate_tokens(calls),
            reasoning_tokens=reasoning,
        )


def _is_free(error: ProviderError) -> bool:
    return error.error_code in _FREE and not error.answered


def _error_code(status: CallStatus, error: ProviderError | None) -> str | None:
    if error is not None:
        return error.error_code
    return "stopped" if status == "aborted" else None
