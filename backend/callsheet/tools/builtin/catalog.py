"""The tools that ship with the product."""

from __future__ import annotations

from callsheet.tools.builtin.calculator import Calculator
from callsheet.tools.builtin.current_time import CurrentTime
from callsheet.tools.tool import Tool


def builtin_tools() -> tuple[Tool, ...]:
    """One of each."""
    return (Calculator(), CurrentTime())
