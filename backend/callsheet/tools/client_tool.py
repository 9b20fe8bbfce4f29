"""Tools that the client brings and runs itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callsheet.tools.pause import Ask


@dataclass(frozen=True, slots=True)
class ClientTool:
    """`parameters` is a JSON schema, as the client wrote it."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def schema(self) -> Mapping[str, Any]:
        """As a model sees it."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.parameters),
            },
        }

    def ask(self) -> Ask:
        """What is asked of the client instead of running it here."""
        return Ask(
            message=f"The result of the client's tool {self.name}.",
            response_schema=None,
            reason="client_tool",
        )
