"""What the rehearsal would ask a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolNeed:
    """The tool that would answer, and what to ask it."""

    name: str
    arguments: Mapping[str, Any]
    about: str = ""
