"""The schema of `tasks.yaml`: CrewAI's own keys and ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, RootModel, Tag

from callsheet.kit.yaml import Section
from callsheet.workflows.words import Name, Text


class InputEntry(Section):
    """Where a variable's value comes from, and how it gets to the model."""

    source: Text = Field(alias="from", description="Such as stages.intent.output.route.")
    as_: Literal["data", "text"] = Field(
        default="data",
        alias="as",
        description="data: a named block beside the instructions. text: in its place; "
        "only for values that no user and no model chooses freely.",
    )


def _spelling(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<mapping>"


Input = Annotated[
    Annotated[Text, Tag("<text>")] | Annotated[InputEntry, Tag("<mapping>")],
    Discriminator(_spelling),
]


class TaskEntry(Section):
    """What one agent must deliver."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "instructions": "description",
        "output": "expected_output",
        "variables": "inputs",
        "output_json": "output_schema",
        "output_pydantic": "output_schema",
        "schema": "output_schema",
        "depends_on": "context",
    }

    description: Text
    prompt: Text | None = Field(
        default=None, description="A file of this folder, put behind the description."
    )
    expected_output: Text
    agent: Name = Field(description="A name in agents.yaml.")
    context: tuple[Name, ...] = Field(
        default=(), description="Earlier tasks of the stage whose output it gets."
    )
    inputs: dict[Name, Input] = Field(
        default_factory=dict, description="The variables that its texts use as {name}."
    )
    output_schema: dict[str, Any] | None = Field(
        default=None, description="A JSON schema; without it the output is free text."
    )
    async_execution: bool = Field(default=False, description="Does not hold up the next task.")


class TasksFile(RootModel[dict[Name, TaskEntry]]):
    """Every task, by name."""
