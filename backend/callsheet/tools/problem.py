"""What is wrong with a tool, or with who should have brought it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolProblem:
    """`message` is a whole sentence that names who is at fault; `owner` is who brings the tool.

    `tool` is its name, or the one that it would have had; None where nobody knows.
    """

    owner: str
    message: str
    tool: str | None = None

    def __str__(self) -> str:
        return self.message
