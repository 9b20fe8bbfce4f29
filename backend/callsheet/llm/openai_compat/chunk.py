"""The JSON objects of an answer, turned into parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from callsheet.kit.json import decode
from callsheet.kit.text import clean
from callsheet.llm.chat import (
    ChatPart,
    FinishPart,
    HeadPart,
    ReasoningPart,
    TextPart,
    UsagePart,
)
from callsheet.llm.openai_compat.calls import ToolCalls
from callsheet.llm.openai_compat.faults import Failure, of_error_object
from callsheet.llm.openai_compat.think import ThinkSplitter
from callsheet.llm.usage.fold import folded

_LONGEST_NAME: Final = 200


class _PlainDelta(msgspec.Struct, frozen=True, gc=False):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: None = None
    tool_calls: None = None
    function_call: None = None
    refusal: None = None


class _PlainChoice(msgspec.Struct, frozen=True, gc=False):
    delta: _PlainDelta
    index: Literal[0] = 0
    finish_reason: None = None
    message: None = None
    usage: None = None


class _PlainChunk(msgspec.Struct, frozen=True, gc=False):
    """The chunk that nearly all are: one delta of text or reasoning and nothing else."""

    choices: tuple[_PlainChoice]
    usage: None = None
    error: None = None
    base_resp: None = None


_PLAIN: Final = msgspec.json.Decoder(_PlainChunk)
_REASONS: Final[Mapping[str, str]] = {
    "function_call": "tool_calls",
    "sensitive": "content_filter",
    "network_error": "error",
    "insufficient_system_resource": "error",
}


class ChunkParser:
    """Fed with the chunks of one answer in order.

    Neighbouring text is joined: `parts` gives what has come since it was last called.
    """

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self.answered = False
        self.finish_reason: str | None = None
        self._parts: list[ChatPart] = []
        self._pieces: list[str] = []
        self._thinking = False
        self._usage: Any = None
        self._usage_is_new = False
        self._words_followed = False
        self._head: HeadPart | None = None
        self._think = ThinkSplitter()
        self._calls = ToolCalls()
        self._said = False

    def take(self, data: bytes) -> None:
        """One chunk as JSON text. What is wrong with it is left in `failure`."""
        if self._head is not None and self._think.passive:
            try:
                delta = _PLAIN.decode(data).choices[0].delta
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass
            else:
                if delta.reasoning_content:
                    self._add(clean(delta.reasoning_content), thinking=True)
                if delta.content:
                    self._add(clean(delta.content), thinking=False)
                self._note_words(delta.reasoning_content or delta.content)
                return
        try:
            chunk = decode(data)
        except (ValueError, RecursionError):
            chunk = None
        if isinstance(chunk, dict):
            self.take_object(chunk)
        else:
            self.failure = Failure("provider_malformed", "a chunk is not a JSON object")

    def take_object(self, chunk: Mapping[str, Any]) -> None:
        """One chunk, or one whole answer, as an object."""
        self._take_head(chunk)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index") in (0, None):
                self._take_choice(choice)
        self._take_usage(chunk.get("usage"))
        self.failure = self.failure or of_error_object(chunk)

    def parts(self) -> list[ChatPart]:
        """What has come since the last call."""
        self._flush()
        if self._usage_is_new:
            self._parts.append(UsagePart(self._usage, self._words_followed))
            self._usage_is_new = False
        parts, self._parts = self._parts, []
        return parts

    def finish(self, *, complete: bool) -> list[ChatPart]:
        """What was held back; and the reason why a complete answer ended, if none was given."""
        for part in self._think.finish():
            self._add(part.text, thinking=isinstance(part, ReasoningPart))
        self._put(*self._calls.finish(self._head.upstream_id if self._head else None))
        if complete and self.finish_reason is None:
            self.finish_reason = "tool_calls" if self._calls else "stop"
            self._put(FinishPart(self.finish_reason))
        return self.parts()

    def _take_head(self, chunk: Mapping[str, Any]) -> None:
        if self._head is not None:
            return
        upstream_id, model = chunk.get("id"), chunk.get("model")
        if upstream_id or model or chunk.get("choices"):
            self._head = HeadPart(
                _name(upstream_id) if upstream_id else None,
                _name(model) if model else None,
            )
            self._put(self._head)

    def _take_usage(self, usage: Any) -> None:
        if usage is not None:
            self._usage = folded(self._usage, usage)
            self._usage_is_new = True
            self._words_followed = False

    def _note_words(self, words: Any) -> None:
        """What was told of usage before these words does not count them."""
        if words and self._usage is not None and not self._words_followed:
            self._words_followed = self._usage_is_new = True

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        if not isinstance(delta, dict) and not self._said:
            delta = choice.get("message")
        self.answered = True
        if isinstance(delta, dict):
            self._take_delta(delta)
        self._take_usage(choice.get("usage"))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason and self.finish_reason is None:
            self.finish_reason = _REASONS.get(reason, _name(reason))
            self._put(FinishPart(self.finish_reason))

    def _take_delta(self, delta: Mapping[str, Any]) -> None:
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(reasoning, str) and reasoning:
            self._add(clean(reasoning), thinking=True)
        self._take_content(delta.get("content"))
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._say(clean(refusal))
        calls = delta.get("tool_calls") or delta.get("function_call")
        self._note_words(reasoning or delta.get("content") or refusal or calls)
        answer_id = self._head.upstream_id if self._head else None
        for piece in calls if isinstance(calls, list) else [calls]:
            if isinstance(piece, dict):
                self._said = True
                self._put(*self._calls.take(piece, answer_id))

    def _take_content(self, content: Any) -> None:
        if isinstance(content, str):
            if content:
                self._say(clean(content))
            return
        for item in content if isinstance(content, list) else ():
            if isinstance(item, str):
                self._say(clean(item))
            elif isinstance(item, dict):
                if "thinking" in item:
                    self._add(clean(_joined(item["thinking"])), thinking=True)
                self._say(clean(_joined(item.get("text"))))

    def _say(self, text: str) -> None:
        if self._think.passive:
            self._add(text, thinking=False)
            return
        for part in self._think.feed(text):
            self._add(part.text, thinking=isinstance(part, ReasoningPart))

    def _add(self, text: str, *, thinking: bool) -> None:
        if thinking is not self._thinking:
            self._flush()
            self._thinking = thinking
        if text:
            self._said = True
            self._pieces.append(text)

    def _put(self, *parts: ChatPart) -> None:
        self._flush()
        self._parts += parts

    def _flush(self) -> None:
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._parts.append(ReasoningPart(text) if self._thinking else TextPart(text))


def _joined(value: Any) -> str:
    """Text that may be a string or a list of `{"text": ...}`."""
    if isinstance(value, str):
        return value
    items = value if isinstance(value, list) else []
    return "".join(str(item.get("text") or "") for item in items if isinstance(item, dict))


def _name(value: Any) -> str:
    """What a provider calls something, as far as a ledger row has room for it."""
    return clean(str(value)[:_LONGEST_NAME])
