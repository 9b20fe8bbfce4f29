"""What a program that a tool runs has written so far."""

from __future__ import annotations

from typing import Literal

from callsheet.events.base import RunEvent

OutputStream = Literal["stdout", "stderr"]


class ToolOutput(RunEvent, frozen=True, kw_only=True, tag="tool_output"):
    """More of a running call's output; never empty. The result has it too, as far as it is kept."""

    tool_call_id: str
    stream: OutputStream
    text: str
