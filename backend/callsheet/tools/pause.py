"""What a tool raises to ask a person, and what it is asked before it runs.

A tool never sees how the question reaches somebody, nor that its run ends meanwhile: it raises
`NeedsPerson`, and what the person says is its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from callsheet.tools.facts import ToolFacts
from callsheet.tools.schema import closed
from callsheet.workflows.tools_file import REQUEST_PLAN

LONGEST_COMMENT: Final = 2_000


@dataclass(frozen=True, slots=True)
class Ask:
    """`message` is for people, `response_schema` the JSON schema of the payload of an answer,
    `detail` what has to be shown beside, as plain data.

    An approval's payload has `approved` and may have other `arguments` and a `comment`.
    """

    message: str
    response_schema: Mapping[str, Any] | None
    reason: Literal["question", "approval", "client_tool"] = "question"
    detail: Mapping[str, Any] = field(default_factory=dict)


class NeedsPerson(Exception):
    """The call cannot go on without an answer."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(ask.message)
        self.ask = ask


def _asked(facts: ToolFacts, arguments: Mapping[str, Any]) -> str:
    if facts.name == REQUEST_PLAN:
        return f"Is this plan all right? {arguments.get('title', '')}".strip()
    return f"May the tool {facts.name} be used?"


def approval_of(facts: ToolFacts, arguments: Mapping[str, Any], reason: str) -> Ask:
    """Whether the tool may be called so; `reason` tells people why they are asked."""
    detail: dict[str, Any] = {"arguments": dict(arguments), "reason": reason}
    if facts.label:
        detail["label"] = dict(facts.label)
    if facts.side_effect is not None:
        detail["sideEffect"] = facts.side_effect
    return Ask(
        message=_asked(facts, arguments),
        response_schema={
            "type": "object",
            "required": ["approved"],
            "additionalProperties": False,
            "properties": {
                "approved": {"type": "boolean"},
                "arguments": closed(facts.parameters),
                "comment": {"type": "string", "maxLength": LONGEST_COMMENT},
            },
        },
        reason="approval",
        detail=detail,
    )
