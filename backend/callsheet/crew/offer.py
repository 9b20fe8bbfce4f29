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

    def has(self, name: str) -> bool:
        """Whether a tool of that name is offered."""
        return any(schema["function"]["name"] == name for schema in self.schemas)


NO_TOOLS: Final = Offer()
