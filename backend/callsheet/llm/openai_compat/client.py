"""A chat client for endpoints that speak OpenAI's protocol."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Final

from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.kit.json import encode
from callsheet.llm.chat import ChatPart, ChatRequest
from callsheet.llm.errors import ProviderError
from callsheet.llm.model import Model
from callsheet.llm.openai_compat.answer import AnswerReader, StreamedAnswer, WholeAnswer
from callsheet.llm.openai_compat.body import body_of
from callsheet.llm.openai_compat.faults import Failure, of_response
from callsheet.llm.openai_compat.transport import FaultKind, Response, Transport, TransportError

_ERROR_BODY_BYTES: Final = 64 * 1024
_DRAIN_S: Final = 0.05

_FAULTS: Final[Mapping[FaultKind, Failure]] = {
    "unreachable": Failure("provider_unreachable", "no connection"),
    "connect_timeout": Failure("provider_timeout", "no connection in time"),
    "first_byte_timeout": Failure("provider_timeout", "no answer in time"),
    "gap_timeout": Failure("provider_timeout", "its answer stopped coming"),
    "deadline": Failure("provider_timeout", "the time for this call was over"),
    "cut": Failure("provider_cut", "the connection broke"),
}


class OpenAiChatClient:
    """See `ChatClient`. One instance serves all runs; it holds nothing but its transport."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        """See `ChatClient.stream`."""
        model = request.model
        sent = self._transport.post(
            model.base_url.rstrip("/") + "/chat/completions",
            _headers(model),
            encode(body_of(request)),
            timeouts=request.timeouts,
            deadline=deadline,
        )
        try:
            async with sent as response:
                if not 200 <= response.status < 300:
                    raise await self._refusal(model, response)
                answer = _reader(request, response)
                fault: Failure | None = None
                while not answer.done:
                    try:
                        chunk = await response.read()
                    except TransportError as broken:
                        fault = _FAULTS[broken.kind]
                        break
                    if not chunk:
                        break
                    parts = answer.feed(chunk)
                    if parts:
                        yield parts
                rest = answer.end(fault)
                if rest:
                    yield rest
                if answer.failure is not None:
                    raise answer.failure.error(model, answered=answer.answered)
                await response.drain(_DRAIN_S)
        except TransportError as broken:
            raise _FAULTS[broken.kind].error(model, answered=False) from broken

    async def _refusal(self, model: Model, response: Response) -> ProviderError:
        body = b""
        try:
            while len(body) < _ERROR_BODY_BYTES and (chunk := await response.read()):
                body += chunk
        except TransportError:
            pass  # the status alone says enough
        now = self._clock.now()
        failure = of_response(model, response.status, response.headers, body, now)
        return failure.error(model, answered=False)


def _headers(model: Model) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "text/event-stream, application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "callsheet",
    }
    if model.api_key is not None:
        headers["Authorization"] = f"Bearer {model.api_key}"
    return headers


def _reader(request: ChatRequest, response: Response) -> AnswerReader:
    """Some endpoints answer in one piece though a stream was asked for."""
    kind = response.headers.get("Content-Type", "")
    if request.stream and not kind.startswith("application/json"):
        return StreamedAnswer()
    return WholeAnswer()
