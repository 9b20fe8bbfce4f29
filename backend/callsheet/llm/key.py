"""The name of the variable that holds a factory's key."""

from __future__ import annotations

import re
from typing import Final

_NOT_IN_A_NAME: Final = re.compile(r"[\W_]+")


def key_variable(factory: str) -> str:
    """`own-vllm` -> CALLSHEET_LLM__OWN_VLLM__API_KEY."""
    return f"CALLSHEET_LLM__{variable_part(factory)}__API_KEY"


def variable_part(factory: str) -> str:
    """A factory's name as it stands in a variable's: `own-vllm` -> OWN_VLLM.

    Two underscores in a row never come out of it: they separate the parts of a variable.
    """
    return _NOT_IN_A_NAME.sub("_", factory.upper()).strip("_")
