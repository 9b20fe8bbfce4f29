"""The white list of tools, `tools.yaml`, held against what the tools themselves say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, RootModel, StringConstraints

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, Section, compose
from callsheet.kit.yaml_words import closest
from callsheet.workflows.words import AnswerSeconds, Seconds

ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


Policy = Literal["allow", "ask"]


class ParameterEntry(Section):
    """One argument of a tool, as a model gives it."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"]
    required: bool = False


class ToolEntry(Section):
    """One tool that agents may be given."""

    synonyms: ClassVar[Mapping[str, str]] = {"timeout": "timeout_s", "args": "parameters"}

    policy: Policy = Field(
        default="allow",
        description="allow: runs without asking. ask: the user has to allow each call.",
    )
    timeout_s: Seconds = Field(default=30.0, description="One call.")
    max_result_chars: int = Field(
        default=32_000, ge=100, le=1_000_000, description="What is longer is cut, and says so."
    )
    answer_within_s: AnswerSeconds | None = Field(
        default=None, description="How long its questions wait for people; else the workflow's."
    )
    parameters: dict[str, ParameterEntry] = Field(
        default_factory=dict, description="Checked against the tool's own."
    )


class ToolsFile(RootModel[dict[ToolName, ToolEntry]]):
    """Every tool that there is for agents, by name."""


@dataclass(frozen=True, slots=True)
class ToolRule:
    """How a tool may be used. `max_result_chars` counts characters of text.

    `answer_within_s` None: as long as the workflow says.
    """

    name: str
    policy: Policy
    timeout_s: float
    max_result_chars: int
    answer_within_s: float | None = None


@dataclass(frozen=True, slots=True)
class WhiteList:
    """The rules of `tools.yaml` by tool, and what is wrong with the file."""

    rules: Mapping[str, ToolRule]
    problems: tuple[Problem, ...] = ()


# Each tool that may be named to its parameters' JSON schema; None where that is not known yet.
Own = Mapping[str, Mapping[str, Any] | None]


def load_tools(path: Path, own: Own) -> Mapping[str, ToolRule]:
    """The rules by tool.

    Raises:
        ConfigError: every problem of the file.
    """
    listed = read_tools(path, own)
    if listed.problems:
        raise ConfigError(listed.problems)
    return listed.rules


def read_tools(path: Path, own: Own) -> WhiteList:
    """`load_tools` with the problems beside what is valid.

    Raises:
        ConfigError: the file cannot be read or is not YAML.
    """
    salvage = compose(path).salvage(ToolsFile)
    entries = salvage.value.root if salvage.value else {}
    rules = {
        name: ToolRule(
            name, entry.policy, entry.timeout_s, entry.max_result_chars, entry.answer_within_s
        )
        for name, entry in entries.items()
    }
    found = (*salvage.problems, *_problems(salvage.document, entries, own))
    return WhiteList(rules, tuple(sorted(found, key=lambda one: (one.line, one.column))))


def _problems(document: Document, entries: Mapping[str, ToolEntry], own: Own) -> Iterator[Problem]:
    for name, entry in entries.items():
        if name not in own:
            message = f"there is no tool {name!r}"
            yield document.problem((name,), message, closest(name, own), of_key=True)
            continue
        schema = own[name]
        if schema is None:
            continue
        properties = schema.get("properties", {})
        for parameter in entry.parameters:
            if parameter not in properties:
                message = f"the tool {name!r} has no parameter {parameter!r}"
                place = (name, "parameters", parameter)
                suggestion = closest(parameter, properties)
                yield document.problem(place, message, suggestion, of_key=True)
        for parameter, of_own in properties.items():
            required = parameter in schema.get("required", ())
            yield from _parameter(document, name, entry, parameter, of_own, required=required)


def _parameter(
    document: Document,
    name: str,
    entry: ToolEntry,
    parameter: str,
    schema: Mapping[str, Any],
    *,
    required: bool,
) -> Iterator[Problem]:
    place = (name, "parameters", parameter)
    listed = entry.parameters.get(parameter)
    if listed is None:
        message = f"the parameter {parameter!r} of the tool {name!r} is missing"
        yield document.problem((name, "parameters"), message, of_key=True)
        return
    if schema.get("type", listed.type) != listed.type:
        message = f"the tool's own type of {parameter!r} is {schema['type']}"
        yield document.problem((*place, "type"), message, schema["type"])
    if listed.required != required:
        message = f"the tool itself says required: {str(required).lower()}"
        yield document.problem((*place, "required"), message, str(required).lower())
