"""Shared by the tests of the model clients: a model, a request, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import (
    ChatPart,
    ChatRequest,
    FinishPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    UsagePart,
)
from callsheet.llm.errors import ProviderError
from callsheet.llm.model import Model
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from callsheet.llm.protocol import ChatClient


def a_model(base_url: str = "http://127.0.0.1:9/v1", **facts: Any) -> Model:
    given = {
        "model_code": "qwen3.5-flash",
        "factory": "qwen",
        "upstream_model": "qwen-up",
        "api_key": "sk-secret-0815",
        **facts,
    }
    return Model(base_url=base_url, **given)


def a_request(model: Model, question: str = "Hello?", **more: Any) -> ChatRequest:
    return ChatRequest(model=model, messages=[{"role": "user", "content": question}], **more)


@dataclass
class Heard:
    """An answer, put together."""

    parts: list[ChatPart] = field(default_factory=list)
    reads: int = 0
    error: ProviderError | None = None

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def reasoning(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, ReasoningPart))

    @property
    def finish(self) -> list[str]:
        return [part.reason for part in self.parts if isinstance(part, FinishPart)]

    @property
    def usage(self) -> Mapping[str, Any] | None:
        found = [part.raw for part in self.parts if isinstance(part, UsagePart)]
        return found[-1] if found else None

    @property
    def calls(self) -> list[tuple[str | None, str | None, str]]:
        """Id, name and whole arguments of each call, by index."""
        return calls_in(self.parts)


def calls_in(parts: Sequence[ChatPart]) -> list[tuple[str | None, str | None, str]]:
    found: dict[int, tuple[str | None, str | None, str]] = {}
    for part in parts:
        if isinstance(part, ToolCallPart):
            call_id, name, arguments = found.get(part.index, (part.call_id, part.name, ""))
            found[part.index] = (call_id, name, arguments + part.arguments)
    return [found[index] for index in sorted(found)]


async def hear(client: ChatClient, request: ChatRequest, seconds: float = 10.0) -> Heard:
    heard = Heard()
    try:
        async for parts in client.stream(request, Deadline.after(seconds)):
            heard.parts += parts
            heard.reads += 1
    except ProviderError as error:
        heard.error = error
    return heard


async def ask(url: str, *, seconds: float = 10.0, question: str = "Hello?", **more: Any) -> Heard:
    """One request to a server, with a client of its own."""
    model = more.pop("model", None) or a_model(url)
    transport = AiohttpTransport()
    try:
        client = OpenAiChatClient(transport, SystemClock())
        return await hear(client, a_request(model, question, **more), seconds)
    finally:
        await transport.aclose()
