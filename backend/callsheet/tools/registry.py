"""Which tools there are, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from callsheet.kit.errors import SetupError
from callsheet.tools.facts import Origin, ToolFacts, facts_of
from callsheet.tools.schema import function_schema
from callsheet.tools.tool import Tool

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ToolRegistry:
    """Tools by name, each with the one who brought it and the schema that a model sees."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._facts: dict[str, ToolFacts] = {}
        self._schemas: dict[str, Mapping[str, Any]] = {}

    def add(self, tools: Iterable[Tool], *, owner: str, origin: Origin = "python") -> None:
        """Take in `tools`; `owner` (a package, a plugin) is named where two of them clash.

        Raises:
            SetupError: a name is taken or illegal, or the arguments have no usable schema.
        """
        for tool in tools:
            if not _NAME.fullmatch(tool.name):
                raise SetupError(
                    f"{owner} brings a tool called {tool.name!r}; a name has 1 to 64 letters, "
                    "digits, '_' or '-', or the model's provider refuses it."
                )
            if tool.name in self._tools:
                raise SetupError(
                    f"The tool {tool.name!r} is brought by both {self._facts[tool.name].owner} and "
                    f"{owner}; rename one of them."
                )
            schema = function_schema(tool)
            parameters = schema["function"]["parameters"]
            self._facts[tool.name] = facts_of(tool, parameters, owner=owner, origin=origin)
            self._schemas[tool.name] = MappingProxyType(schema)
            self._tools[tool.name] = tool

    def find(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        return self._tools.get(name)

    def facts(self, name: str) -> ToolFacts:
        """What is known of the tool; raises KeyError where there is none of that name."""
        return self._facts[name]

    def unavailable(self, name: str) -> str | None:
        """Why a tool that there is cannot be used now; None where it can."""
        asked: Callable[[], str | None] | None = getattr(self._tools[name], "unavailable", None)
        return None if asked is None else asked()

    def names(self) -> frozenset[str]:
        """Every name there is."""
        return frozenset(self._tools)

    def schemas(self, names: Iterable[str]) -> tuple[Mapping[str, Any], ...]:
        """The entries of a chat request's `tools` for these names, in their order.

        Raises:
            KeyError: one of them is not here.
        """
        return tuple(self._schemas[name] for name in names)
