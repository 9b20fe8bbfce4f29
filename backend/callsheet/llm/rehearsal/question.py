"""Finds the kinds of request that the rehearsal can answer with a tool."""

from __future__ import annotations

import re
from typing import Final

from callsheet.llm.rehearsal.need import ToolNeed
from callsheet.llm.rehearsal.prompt import Prompt
from callsheet.llm.rehearsal.work import named_tool, work_in

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


_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.ASCII)
_MAIL: Final = re.compile(r"\b(?:e-?mail|mail|send|write)\b|邮件|发送|写信|发给", re.IGNORECASE)
_ASK: Final = re.compile(r"\bask me\b|\bquestion me\b|问我|向我提问", re.IGNORECASE)
_COLOURS: Final = {
    "en": ("Which colour do you like best?", ["red", "green", "blue"]),
    "zh": ("你最喜欢哪种颜色？", ["红色", "绿色", "蓝色"]),
}
_SUBJECT: Final = {"en": "A mail from the rehearsal", "zh": "来自排练的邮件"}


def tool_need(prompt: Prompt) -> ToolNeed | None:
    """A mail to an address wants to be sent, "ask me" a question; a program, a page, a search or a
    list of things to do their tools; arithmetic wants the calculator, a question for the time the
    clock; any offered tool is called by its name; else None.
    """
    named = named_tool(prompt)
    if named is not None:
        return named
    asked = prompt.question[:_LOOKED_AT_CHARS]
    address = _ADDRESS.search(asked)
    if address and _MAIL.search(asked):
        subject = _SUBJECT[prompt.language]
        return ToolNeed("send_mail", {"to": [address[0]], "subject": subject, "body": asked})
    if _ASK.search(asked):
        question, choices = _COLOURS[prompt.language]
        return ToolNeed("ask_user", {"questions": [{"question": question, "choices": choices}]})
    work = work_in(prompt)
    if work is not None:
        return work
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
