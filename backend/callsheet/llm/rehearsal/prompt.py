"""What a request to the rehearsal asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Language = Literal["zh", "en"]

_HAN: Final = re.compile("[\u4e00-\u9fff]")
_BLOCK: Final = re.compile(r"<(\w+)>\n(.*?)\n</\1>", re.DOTALL)
_QUESTION_NAMES: Final = ("message", "question", "request", "user_message", "input", "text")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request, reduced to what the script looks at.

    `question` is the user's word; `given` the other texts that it works on, such as an earlier
    stage's; `schema` the JSON schema that the answer must fit; `tool_results` what the tools of
    this round gave, newest last.
    """

    question: str
    language: Language
    given: Sequence[str] = ()
    schema: Mapping[str, Any] | None = None
    tools: frozenset[str] = frozenset()
    tool_results: Sequence[str] = field(default=())


def read_prompt(body: Mapping[str, Any]) -> Prompt:
    """The prompt in the body of a chat request; what is missing or odd is read as empty."""
    messages = [item for item in body.get("messages") or () if isinstance(item, Mapping)]
    asked = _last_user(messages)
    text = _text(messages[asked]) if asked is not None else ""
    blocks = dict(_BLOCK.findall(text))
    question = _first(blocks, _QUESTION_NAMES) or (text if not blocks else "")
    return Prompt(
        question=question,
        language="zh" if _HAN.search(question or text) else "en",
        given=tuple(blocks.values()) or (text,),
        schema=_schema(body, messages),
        tools=frozenset(_tool_names(body)),
        tool_results=_results(messages[asked + 1 :] if asked is not None else messages),
    )


def _last_user(messages: Sequence[Mapping[str, Any]]) -> int | None:
    places = [index for index, item in enumerate(messages) if item.get("role") == "user"]
    return places[-1] if places else None


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    items = content if isinstance(content, Sequence) else ()
    return "\n".join(str(item.get("text") or "") for item in items if isinstance(item, Mapping))


def _first(blocks: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((blocks[name] for name in names if blocks.get(name)), None)


def _results(after: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(_text(item) for item in after if item.get("role") == "tool")


def _tool_names(body: Mapping[str, Any]) -> list[str]:
    offered = body.get("tools") or ()
    return [str(tool["function"]["name"]) for tool in offered if "function" in tool]


def _schema(
    body: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    wanted = body.get("response_format") or {}
    declared = (wanted.get("json_schema") or {}).get("schema")
    if isinstance(declared, Mapping):
        return declared
    for message in messages:
        if message.get("role") == "system":
            found = _schema_in(_text(message))
            if found is not None:
                return found
    return {"type": "object"} if wanted.get("type") == "json_object" else None


def _schema_in(text: str) -> Mapping[str, Any] | None:
    """The JSON schema that is written out in the instructions, if one is."""
    decoder = json.JSONDecoder()
    for place in re.finditer(r"\{", text[max(0, text.find("JSON schema")) :]):
        try:
            value, _ = decoder.raw_decode(text, max(0, text.find("JSON schema")) + place.start())
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("properties"), dict):
            return value
    return None
