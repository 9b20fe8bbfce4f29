"""Edits of the agents of a workflow."""

from __future__ import annotations

import re
from pathlib import Path


def give_tools(crews: Path, tools: str) -> None:
    """Give the agent of `chat` that has tools these instead: a YAML list less its brackets."""
    path = crews / "chat" / "agents.yaml"
    text, found = re.subn(r"\btools:\s*\[[^\]]*\]", f"tools: [{tools}]", path.read_text("utf-8"))
    assert found == 1, "one agent of chat has tools"
    path.write_text(text, "utf-8")
