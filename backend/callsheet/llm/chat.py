"""One request to a model and the parts of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callsheet.llm.model import Model, Reasoning


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait: for the connection, for the first byte, and between two bytes."""

    connect_s: float = 10.0
    first_byte_s: float = 60.0
    gap_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked. `messages` and `tools` are in the OpenAI chat format."""

    model: Model
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning: Reasoning | None = None
    response_format: Mapping[str, Any] | None = None
    stream: bool = True
    timeouts: Timeouts = field(default_factory=Timeouts)


@dataclass(frozen=True, slots=True)
class TextPart:
    """More of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """More of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """More of a tool call. `index` tells the calls of one answer apart.

    `call_id` and `name` are set on the part that begins a call, `arguments` is a delta.
    """

    index: int
    call_id: str | None
    name: str | None
    arguments: str


@dataclass(frozen=True, slots=True)
class UsagePart:
    """All that the provider has told of usage so far; a later one replaces an earlier one.

    `raw` is an object, unless the provider sent something else in its place. `words_followed`:
    more of the answer has come since, so that it is not the last word on the output.
    """

    raw: Any
    words_followed: bool = False


@dataclass(frozen=True, slots=True)
class FinishPart:
    """Why the model stopped: stop, length, tool_calls, content_filter, or the provider's word."""

    reason: str


@dataclass(frozen=True, slots=True)
class HeadPart:
    """Ids that the provider gave: of the response, and of the model that really answered."""

    upstream_id: str | None
    response_model: str | None


ChatPart = TextPart | ReasoningPart | ToolCallPart | UsagePart | FinishPart | HeadPart
