"""Limits of tool calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """`timeout_s` narrows the deadline of each call; the two sizes are characters of text.

    Arguments over their limit are refused; a result over its limit is cut, and says so.
    `answer_within_s` is how long people may take for this tool's questions, None: as long as the
    workflow says.
    """

    timeout_s: float = 30.0
    max_argument_chars: int = 400_000
    max_result_chars: int = 32_000
    answer_within_s: float | None = None
