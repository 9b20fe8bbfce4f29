"""Fills in a JSON schema: the fields of an intent by what was asked, any other by its type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callsheet.llm.rehearsal.prompt import Prompt
from callsheet.llm.rehearsal.question import tool_need

_LONG: Final = 160
_HARD: Final = re.compile(
    r"\b(compare|analy[sz]e|plan|research|report|design)\b|比较|分析|计划|规划|研究|报告|设计",
    re.IGNORECASE,
)
_WITH_TOOLS: Final = ("tools", "tool", "task", "execute", "work")
_WITHOUT: Final = ("chat", "direct", "answer", "simple")
_COMPLEXITY: Final = {"easy": ("simple", "low", "easy"), "hard": ("complex", "high", "hard")}


def fill(schema: Mapping[str, Any], prompt: Prompt) -> dict[str, Any]:
    """An object that fits the schema; required fields and those of an intent are given."""
    properties = schema.get("properties") or {}
    required = schema.get("required") or list(properties)
    return {
        name: _value(name, part, prompt)
        for name, part in properties.items()
        if isinstance(part, Mapping) and (name in required or name in _KNOWN)
    }


def _value(name: str, part: Mapping[str, Any], prompt: Prompt) -> Any:
    choices = part.get("enum")
    known = _KNOWN.get(name)
    if known is not None:
        fitting = _fitting(known(prompt), part)
        if fitting is not None:
            return fitting
    if isinstance(choices, Sequence) and choices:
        return choices[0]
    return _of_type(part, prompt)


def _fitting(wanted: Sequence[Any], part: Mapping[str, Any]) -> Any:
    """The first wish that the schema allows."""
    choices = part.get("enum")
    if isinstance(choices, Sequence):
        return next((wish for wish in wanted if wish in choices), None)
    kind = part.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    fitting = [
        wish
        for wish in wanted
        if kind is None
        or ("string" in kinds and isinstance(wish, str))
        or ("array" in kinds and isinstance(wish, list))
        or ("boolean" in kinds and isinstance(wish, bool))
    ]
    return fitting[0] if fitting else None


def _of_type(part: Mapping[str, Any], prompt: Prompt) -> Any:
    kind = part.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        return fill(part, prompt)
    if kind in {"integer", "number"}:
        return part.get("minimum", 0)
    return {"array": [], "boolean": False, "null": None}.get(str(kind), "")


def _route(prompt: Prompt) -> Sequence[Any]:
    return _WITH_TOOLS if tool_need(prompt) else _WITHOUT


def _complexity(prompt: Prompt) -> Sequence[Any]:
    hard = len(prompt.question) > _LONG or _HARD.search(prompt.question) is not None
    return _COMPLEXITY["hard" if hard else "easy"]


def _language(prompt: Prompt) -> Sequence[Any]:
    return ("zh", "zh-CN", "Chinese") if prompt.language == "zh" else ("en", "en-US", "English")


def _plan_hint(prompt: Prompt) -> Sequence[Any]:
    tool = tool_need(prompt)
    return [f"Call {tool.name}, then say the result." if tool else "Answer directly."]


def _needs(prompt: Prompt) -> Sequence[Any]:
    tool = tool_need(prompt)
    return [[tool.name] if tool else [], tool is not None]


_KNOWN: Final = {
    "route": _route,
    "complexity": _complexity,
    "language": _language,
    "plan_hint": _plan_hint,
    "needs": _needs,
}
