"""The tools that an agent is offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Offer:
    """`schemas` go into the request to the model, `instructions` into the agent's own."""

    schemas: Sequence[Mapping[str, Any]] = ()
    instructions: Sequence[str] = ()


NO_TOOLS: Final = Offer()
