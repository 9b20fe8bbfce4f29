"""A chat client that answers from a script, in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import (
    ChatPart,
    ChatRequest,
    FinishPart,
    HeadPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    UsagePart,
)
from callsheet.llm.errors import ProviderError
from callsheet.llm.model import Model

USAGE: Mapping[str, Any] = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}


@dataclass(frozen=True)
class Wait:
    """A pause between two network reads, in seconds."""

    seconds: float


Step = Sequence[ChatPart] | Wait | ProviderError
Script = Sequence[Step]


def text(*pieces: str, usage: Mapping[str, Any] | None = USAGE, reason: str = "stop") -> Script:
    """An answer in as many reads as pieces."""
    steps: list[Step] = [(TextPart(piece),) for piece in pieces]
    return [*steps, _tail(usage, reason)]


def thought(reasoning: str, answer: str) -> Script:
    """An answer after some reasoning."""
    return [(ReasoningPart(reasoning),), (TextPart(answer),), _tail(USAGE, "stop")]


def calls(*asked: tuple[str, Any], said: str = "") -> Script:
    """An answer that asks for tools: name and arguments (text is taken as it is)."""
    steps: list[Step] = [(TextPart(said),)] if said else []
    for index, (name, arguments) in enumerate(asked):
        spelled = arguments if isinstance(arguments, str) else json.dumps(arguments)
        half = len(spelled) // 2
        steps.append((ToolCallPart(index, f"call_{index}", name, spelled[:half]),))
        steps.append((ToolCallPart(index, None, None, spelled[half:]),))
    return [*steps, _tail(USAGE, "tool_calls")]


def _tail(usage: Mapping[str, Any] | None, reason: str) -> Sequence[ChatPart]:
    end: list[ChatPart] = [HeadPart("up-1", "real-model"), FinishPart(reason)]
    return [*end, UsagePart(usage)] if usage is not None else end


@dataclass
class ScriptedChat:
    """Plays one script for each request, in order; or asks `choose` which one to play."""

    scripts: Sequence[Script] = ()
    choose: Callable[[ChatRequest], Script] | None = None
    requests: list[ChatRequest] = field(default_factory=list)
    open: int = 0
    max_open: int = 0

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        number = len(self.requests)
        self.requests.append(request)
        script = self.choose(request) if self.choose is not None else self.scripts[number]
        self.open += 1
        self.max_open = max(self.max_open, self.open)
        try:
            for step in script:
                if isinstance(step, Wait):
                    await asyncio.sleep(step.seconds)
                elif isinstance(step, ProviderError):
                    raise step
                else:
                    yield step
        finally:
            self.open -= 1


@dataclass
class HeldChat(ScriptedChat):
    """Answers nothing before it is let go."""

    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        await self.go.wait()
        async for parts in super().stream(request, deadline):
            yield parts


class OneModel:
    """A `Models` that knows every code: all are the same endpoint."""

    def __init__(self, **facts: Any) -> None:
        self._facts = facts

    def get(self, model_code: str) -> Model:
        given: dict[str, Any] = {
            "model_code": model_code,
            "factory": "fake",
            "upstream_model": model_code,
            "base_url": "http://127.0.0.1:9/v1",
            "api_key": None,
        }
        return Model(**{**given, **self._facts})

    def all(self) -> Mapping[str, Model]:
        return {}
