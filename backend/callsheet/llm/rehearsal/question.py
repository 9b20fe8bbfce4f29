"""Finds the two kinds of question that the rehearsal can answer with a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from callsheet.llm.rehearsal.prompt import Prompt

_SIGNS: Final = (
    ("×", "*"),
    ("÷", "/"),
    ("−", "-"),
    ("乘以", "*"),
    ("乘", "*"),
    ("加上", "+"),
    ("加", "+"),
    ("减去", "-"),
    ("减", "-"),
    ("除以", "/"),
    (" times ", "*"),
    (" plus ", "+"),
    (" minus ", "-"),
    (" divided by ", "/"),
)
# The patterns below try a text from every place on; this is more than the calculator takes.
_LOOKED_AT_CHARS: Final = 500
_BY_X: Final = re.compile(r"(?<=\d)\s*[xX]\s*(?=\d)")
_DATE: Final = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b")
_NUMBER: Final = r"\(*\s*\d+(?:\.\d+)?\s*\)*"
_SUM: Final = re.compile(rf"{_NUMBER}(?:\s*(?:\*\*|[-+*/^%])\s*{_NUMBER})+")
_TIME: Final = re.compile(
    r"\bwhat(?:'s| is)? (?:the )?(?:time|date|day)\b|\bweekday\b|\btoday\b|\bdate is it\b"
    r"|几点|时间|日期|几号|星期几|今天",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ToolNeed:
    """The tool that would answer, and what to ask it."""

    name: str
    arguments: Mapping[str, Any]
    about: str = ""


def tool_need(prompt: Prompt) -> ToolNeed | None:
    """Arithmetic wants the calculator, a question for the time the clock; else None."""
    expression = arithmetic_in(prompt.question)
    if expression:
        return ToolNeed("calculator", {"expression": expression}, expression)
    return ToolNeed("current_time", {}) if _TIME.search(prompt.question) else None


def arithmetic_in(text: str) -> str | None:
    """The longest sum, product and the like at the head of a text, as a calculator takes it."""
    text = _DATE.sub(" ", text[:_LOOKED_AT_CHARS])
    for sign, operator in _SIGNS:
        text = text.replace(sign, operator)
    found = _SUM.findall(_BY_X.sub("*", text))
    expression = max(found, key=len, default="").strip()
    missing = expression.count("(") - expression.count(")")
    return expression if expression and missing == 0 else None
