"""What the rehearsal does in a session where nothing is changed before a plan is approved."""

from __future__ import annotations

from typing import Final

from callsheet.kit.json import decode
from callsheet.llm.rehearsal.need import ToolNeed
from callsheet.llm.rehearsal.prompt import Prompt

_TOOL: Final = "request_plan_approval"
_TITLE: Final = {"en": "What you asked for", "zh": "您要求的事"}
_STEP: Final = {"en": "Use the tool {tool}.", "zh": "使用工具 {tool}。"}


def call_after(prompt: Prompt, need: ToolNeed | None) -> ToolNeed | None:
    """The plan where the last call lacked one; that call again once the plan is approved."""
    if need is None or _TOOL not in prompt.tools:
        return None
    last = prompt.tool_results[-1]
    if last.startswith("Error:") and _TOOL in last:
        steps = [_STEP[prompt.language].format(tool=need.name)]
        return ToolNeed(_TOOL, {"title": _TITLE[prompt.language], "steps": steps})
    return need if _is_approval(last) else None


def _is_approval(result: str) -> bool:
    try:
        value = decode(result.partition("\n")[0])
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("approved") is True and "plan" in value
