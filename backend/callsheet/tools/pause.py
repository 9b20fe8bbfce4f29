"""What a tool raises to ask a person, and what it is asked before it runs.

A tool never sees how the question reaches somebody, nor that its run ends meanwhile: it raises
`NeedsPerson`, and what the person says is its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


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


def approval_of(tool: str, arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> Ask:
    """Whether the tool may be called so; `parameters` is the schema of its arguments."""
    return Ask(
        message=f"May the tool {tool} be used?",
        response_schema={
            "type": "object",
            "required": ["approved"],
            "additionalProperties": False,
            "properties": {
                "approved": {"type": "boolean"},
                "arguments": dict(parameters),
                "comment": {"type": "string", "maxLength": 2000},
            },
        },
        reason="approval",
        detail={"arguments": dict(arguments)},
    )
