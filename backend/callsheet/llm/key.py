"""The name of the variable that holds a factory's key."""

from __future__ import annotations

import re
from typing import Final

_NOT_IN_A_NAME: Final = re.compile("[^A-Z0-9]")


def key_variable(factory: str) -> str:
    """`own-vllm` -> CALLSHEET_LLM__OWN_VLLM__API_KEY."""
    return f"CALLSHEET_LLM__{_NOT_IN_A_NAME.sub('_', factory.upper())}__API_KEY"
