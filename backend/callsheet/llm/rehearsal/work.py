"""Work that only an offered tool can do: a named one, a program, a page, a search, a list."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from callsheet.llm.rehearsal.need import ToolNeed
from callsheet.llm.rehearsal.prompt import Prompt

_LOOKED_AT_CHARS: Final = 20_000
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{3,64}")
_CODE: Final = re.compile(r"```(?:python|py)[ \t]*\n(.*?)```", re.DOTALL)
_URL: Final = re.compile(r"https?://[^\s<>\"'`，。）)]{3,2000}")
_SEARCH: Final = re.compile(
    r"\b(?:search(?: the web)? for|look up|google)\s+(.{2,200})|(?:搜索|查找|搜一下)\s*(.{2,200})",
    re.IGNORECASE,
)
_LIST: Final = re.compile(r"\bto-?do list\b|待办|任务清单", re.IGNORECASE)
_PLAN: Final = re.compile(r"\b(?:make|show|propose)\b.{0,20}\bplan\b|计划", re.IGNORECASE)
_STEPS: Final = {
    "en": ("What has to be done", ["Understand the request", "Do the work", "Look it over"]),
    "zh": ("要做的事", ["理解请求", "完成工作", "检查结果"]),
}


def named_tool(prompt: Prompt) -> ToolNeed | None:
    """An offered tool that the message calls by its name, with the JSON object that follows it.

    The tools of every day are meant only where such an object stands there.
    """
    asked = prompt.question[:_LOOKED_AT_CHARS]
    for found in _NAME.finditer(asked):
        if found[0] in prompt.tools:
            arguments = _object_in(asked[found.end() :])
            if arguments is not None or not _has_words(found[0]):
                return ToolNeed(found[0], arguments or {})
    return None


def work_in(prompt: Prompt) -> ToolNeed | None:
    """What the words of the message ask for, where the tool for it is offered."""
    asked = prompt.question[:_LOOKED_AT_CHARS]
    need = _work(asked, prompt)
    return need if need is not None and need.name in prompt.tools else None


def _work(asked: str, prompt: Prompt) -> ToolNeed | None:
    if code := _CODE.search(asked):
        return ToolNeed("python_executor", {"code": code[1]})
    if url := _URL.search(asked):
        return ToolNeed("web_fetch", {"url": url[0]})
    if search := _SEARCH.search(asked):
        return ToolNeed("web_search", {"query": (search[1] or search[2]).strip(" .?!。？！")})
    title, steps = _STEPS[prompt.language]
    if _LIST.search(asked):
        items = [{"label": step, "status": "pending"} for step in steps]
        items[0]["status"] = "running"
        return ToolNeed("manage_todo_list", {"title": title, "items": items})
    if _PLAN.search(asked):
        return ToolNeed("request_plan_approval", {"title": title, "steps": steps})
    return None


def _has_words(name: str) -> bool:
    """Whether the script knows the tool by other words than its name."""
    return name in {
        "ask_user",
        "calculator",
        "current_time",
        "manage_todo_list",
        "python_executor",
        "request_plan_approval",
        "send_mail",
        "web_fetch",
        "web_search",
    }


def _object_in(text: str) -> dict[str, Any] | None:
    """The JSON object at the head of a text."""
    text = text.lstrip(" :\n`(")
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
