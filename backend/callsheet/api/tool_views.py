"""Tools as the documents that callers see."""

from __future__ import annotations

from callsheet.api.tool_documents import ToolDocument
from callsheet.tools.listed import ListedTool


def tool_view(tool: ListedTool, language: str) -> ToolDocument:
    """A tool; its label in that language."""
    facts = tool.facts
    return ToolDocument(
        name=facts.name,
        label=tool.label(language),
        group=facts.group,
        summary=facts.summary,
        description=facts.description,
        origin=facts.origin,
        owner=facts.owner,
        own_name=facts.own_name,
        policy=tool.policy,
        available=tool.unavailable is None,
        reason=tool.unavailable,
        requires_approval=facts.requires_approval,
        side_effect=facts.side_effect,
        idempotent=facts.idempotent,
        parameters=dict(facts.parameters),
    )
