"""From a scenario and a request to the pieces of an answer. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final

import msgspec

from tests.fakes.provider.request import ChatBody
from tests.fakes.provider.scenario import Scenario

STAMP: Final = b"@@"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider bills for an answer."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0

    def usage(self) -> dict[str, Any]:
        """As OpenAI spells it."""
        return {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning},
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """`deltas` are JSON objects, one per piece."""

    deltas: tuple[bytes, ...]
    finish_reason: str
    tokens: Tokens
    text: str
    tool_calls: tuple[dict[str, Any], ...]


def answer_to(scenario: Scenario, body: ChatBody, number: int) -> Answer:
    """The whole answer to request `number` (from 1)."""
    calls: tuple[dict[str, Any], ...] = ()
    text = ""
    deltas = list(_counted("reasoning_content", "r", scenario.reasoning))
    finish = scenario.finish_reason
    if scenario.fault == "blank":
        finish = "stop"
    elif scenario.tools and (body.awaits_tools() or (scenario.tools_always and body.tools)):
        calls = _calls(scenario, body, number)
        deltas += _tool_deltas(calls, scenario.tool_pieces, scenario.tool_mix)
        finish = "tool_calls"
    else:
        markers = body.markers() if scenario.echo else ""
        if markers:
            deltas.append(_delta("content", markers))
        deltas += _text_deltas(scenario)
        text = markers + _text(scenario)
    return Answer(
        deltas=tuple(deltas),
        finish_reason=finish,
        tokens=_tokens(scenario, number, len(deltas)),
        text=text,
        tool_calls=calls,
    )


def _text(scenario: Scenario) -> str:
    if scenario.pieces:
        return "".join(scenario.pieces)
    return scenario.text if scenario.text is not None else counted(scenario.chunks)


def counted(chunks: int) -> str:
    """The text of `chunks` counted words."""
    return "".join(f"w{index:05d} " for index in range(chunks))


def _tokens(scenario: Scenario, number: int, pieces: int) -> Tokens:
    more = number if scenario.vary else 0
    prompt = scenario.prompt_tokens + more % 97
    completion = pieces if scenario.completion_tokens is None else scenario.completion_tokens
    return Tokens(
        prompt=prompt,
        completion=completion,
        cached=min(prompt, scenario.cached_tokens + more % 7),
        reasoning=min(completion, scenario.reasoning_tokens),
    )


def _delta(field: str, text: str) -> bytes:
    return msgspec.json.encode({field: text})


@lru_cache(maxsize=64)
def _counted(field: str, letter: str, count: int) -> tuple[bytes, ...]:
    return tuple(_delta(field, f"{letter}{index:05d} ") for index in range(count))


@lru_cache(maxsize=64)
def _stamped(count: int) -> tuple[bytes, ...]:
    return tuple(_delta("content", f"@@w{index:05d} ") for index in range(count))


def _text_deltas(scenario: Scenario) -> tuple[bytes, ...]:
    if scenario.pieces:
        return tuple(_delta("content", piece) for piece in scenario.pieces)
    if scenario.text is None:
        if scenario.stamp:
            return _stamped(scenario.chunks)
        return _counted("content", "w", scenario.chunks)
    return tuple(_delta("content", piece) for piece in _split(scenario.text, scenario.chunks))


def _calls(scenario: Scenario, body: ChatBody, number: int) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "id": f"call_{number}_{index}",
            "type": "function",
            "function": {"name": body.tool_name(ask.name), "arguments": ask.arguments},
        }
        for index, ask in enumerate(scenario.tools)
    )


def _tool_deltas(calls: tuple[dict[str, Any], ...], pieces: int, mix: str) -> list[bytes]:
    """Each call begins with its id and name; `pieces` of arguments follow, or come with it if 1."""
    each = []
    for index, call in enumerate(calls):
        arguments = call["function"]["arguments"]
        parts = ["", *_split(arguments, pieces)] if pieces > 1 else [arguments]
        head = {"name": call["function"]["name"], "arguments": parts[0]}
        first = {"index": index, "id": call["id"], "type": "function", "function": head}
        rest = [{"index": index, "function": {"arguments": part}} for part in parts[1:]]
        each.append([first, *rest])
    items = [item for items in each for item in items]
    if mix != "none":
        items = [item for turn in zip_longest(*each) for item in turn if item is not None]
    if mix == "bare":
        items = [{k: v for k, v in item.items() if k not in {"index", "id"}} for item in items]
    return [msgspec.json.encode({"tool_calls": [item]}) for item in items]


def _split(text: str, pieces: int) -> list[str]:
    """`text` in at most `pieces` parts of nearly the same length, none empty."""
    size = -(-len(text) // max(1, pieces)) or 1
    return [text[start : start + size] for start in range(0, len(text), size)]
