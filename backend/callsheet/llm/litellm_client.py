"""A chat client for providers that speak no OpenAI-compatible protocol, by way of LiteLLM."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, Final

from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import ChatPart, ChatRequest
from callsheet.llm.errors import ProviderError
from callsheet.llm.litellm_library import is_installed, load_litellm
from callsheet.llm.openai_compat.answer import verdict
from callsheet.llm.openai_compat.body import body_of
from callsheet.llm.openai_compat.chunk import ChunkParser
from callsheet.llm.openai_compat.faults import Failure, of_response

_END: Final = object()


class LiteLlmClient:
    """See `ChatClient`. LiteLLM is imported, in a thread, with the first request."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        """See `ChatClient.stream`.

        LiteLLM makes a usage object up where the provider sends none, and nothing tells the two
        apart.
        """
        if not is_installed():
            raise ProviderError(
                f"{request.model.model_code} goes through LiteLLM, which is not installed: "
                "pip install 'callsheet[litellm]'",
                code="provider_refused",
            )
        litellm = await asyncio.to_thread(load_litellm)
        parser = ChunkParser()
        fault: Failure | None = None
        chunks = _chunks(litellm, request, deadline)
        try:
            async for chunk in chunks:
                parser.take_object(chunk)
                parts = parser.parts()
                if parts:
                    yield parts
                if parser.failure is not None:
                    break
        except TimeoutError:
            late = "the time for this call was over" if deadline.passed() else "no answer in time"
            fault = Failure("provider_timeout", late)
        except litellm.exceptions.openai.OpenAIError as error:
            fault = self._failure(litellm, request, error, answered=parser.answered)
        finally:
            await chunks.aclose()
        whole = parser.finish_reason is not None or (fault is None and parser.answered)
        answered = parser.answered
        rest = parser.finish(complete=whole and answered and parser.failure is None)
        if rest:
            yield rest
        failure = parser.failure or verdict(parser, fault, whole=whole, answered=answered)
        if failure is not None:
            raise failure.error(request.model, answered=answered)

    def _failure(
        self, litellm: Any, request: ChatRequest, error: Any, *, answered: bool
    ) -> Failure:
        known = litellm.exceptions
        if isinstance(error, known.ContentPolicyViolationError):
            return Failure("content_filter")
        if isinstance(error, known.Timeout):
            return Failure("provider_timeout", "no answer in time")
        if answered:
            return Failure("provider_cut", "the connection broke")
        if _came_from(error, known.openai.APIConnectionError):
            return Failure("provider_unreachable", "no connection")
        response = getattr(error, "response", None)
        headers = dict(getattr(response, "headers", None) or {})
        status = int(getattr(error, "status_code", None) or 500)
        return of_response(request.model, status, headers, b"", self._clock.now())


def _came_from(error: BaseException | None, kind: type[BaseException]) -> bool:
    """LiteLLM wraps what it was told, some of it as an internal error of the provider."""
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


async def _chunks(
    litellm: Any, request: ChatRequest, deadline: Deadline
) -> AsyncGenerator[dict[str, Any], None]:
    """The answer's objects; closing the generator closes the connection."""
    waits = request.timeouts
    async with asyncio.timeout(min(deadline.left_s(), waits.first_byte_s)):
        answer = await litellm.acompletion(**_arguments(request, deadline))
    if not request.stream:
        yield _plain(answer)
        return
    try:
        source: AsyncIterator[Any] = aiter(answer)
        wait_s = waits.first_byte_s
        while True:
            async with asyncio.timeout(min(deadline.left_s(), wait_s)):
                chunk = await anext(source, _END)
            if chunk is _END:
                return
            wait_s = waits.gap_s
            yield _plain(chunk)
    finally:
        await _close(answer)


async def _close(answer: Any) -> None:
    """Close LiteLLM's wrapper and the stream below it, which its own `aclose` leaves open."""
    for layer in (getattr(answer, "completion_stream", None), answer):
        close = getattr(layer, "aclose", None) or getattr(layer, "close", None)
        if close is not None:
            await close()


def _arguments(request: ChatRequest, deadline: Deadline) -> dict[str, Any]:
    model = request.model
    return {
        **body_of(request),
        "model": f"{model.litellm_provider}/{model.upstream_model}",
        "api_base": model.base_url or None,
        "api_key": model.api_key,
        "timeout": deadline.left_s(),
        "num_retries": 0,
        "max_retries": 0,
    }


def _plain(answer: Any) -> dict[str, Any]:
    plain: dict[str, Any] = answer.model_dump(warnings=False)
    return plain
