"""The documents about tools."""

from __future__ import annotations

from typing import Any, Literal

from callsheet.api.documents import Document


class ToolDocument(Document, frozen=True, kw_only=True):
    """A tool. `label` is in the language that was asked for, `parameters` a JSON schema.

    `policy` null: the deployment does not list it, so that no agent has it. `owner` is who brings
    it. `requiresApproval` is the tool's own wish, `policy` what holds. `sideEffect`: what a call
    changes; null: nothing. `reason`: why it is not available. `ownName`: what an MCP server calls
    it; null for any other tool.
    """

    name: str
    label: str
    group: str
    summary: str
    description: str
    origin: Literal["builtin", "plugin", "python", "mcp"]
    owner: str
    own_name: str | None
    policy: Literal["allow", "ask", "deny"] | None
    available: bool
    reason: str | None
    requires_approval: bool
    side_effect: str | None
    idempotent: bool
    parameters: dict[str, Any]


class Tools(Document, frozen=True, kw_only=True):
    """Every tool that there is, by name."""

    items: list[ToolDocument]


class SessionTools(Document, frozen=True, kw_only=True):
    """What agents of the workflow may use that a message in the session goes to."""

    workflow: str
    items: list[ToolDocument]
