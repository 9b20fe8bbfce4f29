"""Which tools there are, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from callsheet.kit.errors import SetupError
from callsheet.tools.schema import function_schema
from callsheet.tools.tool import Tool

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ToolRegistry:
    """Tools by name, each with the one who brought it and the schema that a model sees."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._owners: dict[str, str] = {}
        self._schemas: dict[str, Mapping[str, Any]] = {}

    def add(self, tools: Iterable[Tool], *, owner: str) -> None:
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
                    f"The tool {tool.name!r} is brought by both {self._owners[tool.name]} and "
                    f"{owner}; rename one of them."
                )
            self._schemas[tool.name] = MappingProxyType(function_schema(tool))
            self._tools[tool.name] = tool
            self._owners[tool.name] = owner

    def find(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        return self._tools.get(name)

    def names(self) -> frozenset[str]:
        """Every name there is."""
        return frozenset(self._tools)

    def schemas(self, names: Iterable[str]) -> tuple[Mapping[str, Any], ...]:
        """The entries of a chat request's `tools` for these names, in their order.

        Raises:
            KeyError: one of them is not here.
        """
        return tuple(self._schemas[name] for name in names)
