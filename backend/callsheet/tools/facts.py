"""What is known of a tool beside what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from callsheet.tools.tool import Tool

Origin = Literal["builtin", "plugin", "python", "mcp"]


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """One registered tool. `parameters` is the JSON schema that a model sees.

    `label` (by language), `summary` (one line) and `side_effect` are for people; `side_effect` says
    what a call changes, None: it changes nothing. `idempotent`: a call may be made again under the
    same id. `instructions` are told to every agent that may use it. `owner` is who brings it.
    `own_name` is what an MCP server calls it itself.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    owner: str
    origin: Origin
    group: str = "other"
    label: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    idempotent: bool = False
    side_effect: str | None = None
    requires_approval: bool = False
    instructions: str | None = None
    own_name: str | None = None


def facts_of(tool: Tool, parameters: Mapping[str, Any], *, owner: str, origin: Origin) -> ToolFacts:
    """The tool's own word on each, the defaults where it says nothing."""
    said = {
        name: getattr(tool, name)
        for name in (
            "group",
            "label",
            "summary",
            "idempotent",
            "side_effect",
            "requires_approval",
            "instructions",
            "own_name",
        )
        if hasattr(tool, name)
    }
    return ToolFacts(
        name=tool.name,
        description=tool.description,
        parameters=parameters,
        owner=owner,
        origin=origin,
        **said,
    )
