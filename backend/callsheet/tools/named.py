"""The tools that an agent's white list names."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from callsheet.tools.facts import ToolFacts
from callsheet.tools.registry import ToolRegistry

_REMOTE: Final = "mcp"


def named(tools: Iterable[str], registry: ToolRegistry) -> list[str]:
    """Those that there are, each once, in order. `server__*` stands for all of an MCP server's,
    and for no other tool whose name only looks like theirs.
    """
    found: dict[str, None] = {}
    for each in tools:
        if "*" in each:
            found |= dict.fromkeys(_fitting(each, registry))
        elif registry.find(each) is not None:
            found[each] = None
    return list(found)


def names(word: str, tool: ToolFacts) -> bool:
    """Whether the word of a white list stands for that tool."""
    if "*" in word:
        return tool.origin == _REMOTE and fnmatchcase(tool.name, word)
    return tool.name == word


def _fitting(pattern: str, registry: ToolRegistry) -> list[str]:
    return sorted(name for name in registry.names() if names(pattern, registry.facts(name)))
