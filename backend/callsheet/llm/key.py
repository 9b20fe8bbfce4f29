"""The name of the variable that holds a factory's key."""

from __future__ import annotations

import re
from typing import Final

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Z0-9]+")


def key_variable(factory: str) -> str:
    """`CALLSHEET_LLM__QWEN__API_KEY` for the factory `qwen`."""
    name = _NOT_IN_A_NAME.sub("_", factory.upper()).strip("_")
    return f"CALLSHEET_LLM__{name}__API_KEY"
