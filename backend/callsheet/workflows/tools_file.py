"""The white list of tools, `tools.yaml`, held against what the tools themselves say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, RootModel, StringConstraints

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, Section, compose
from callsheet.kit.yaml_words import closest
from callsheet.workflows.server_tools import Servers, is_servers
from callsheet.workflows.tool_rule import ToolPolicy, ToolRule, is_pattern, listed_names
from callsheet.workflows.words import AnswerSeconds, Seconds

REQUEST_PLAN: Final = "request_plan_approval"
"""The tool by which an agent has its plan approved."""

ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_*?-]{1,64}$")]
"""A tool's, or a pattern with `*` and `?`."""


class ParameterEntry(Section):
    """One argument of a tool, as a model gives it."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"]
    required: bool = False


class ToolEntry(Section):
    """One tool that agents may be given, or all whose name fits the pattern."""

    synonyms: ClassVar[Mapping[str, str]] = {"timeout": "timeout_s", "args": "parameters"}

    policy: ToolPolicy | None = Field(
        default=None,
        description="allow: runs without asking, also where the tool itself wants to be allowed "
        "(only in an entry of its own name). ask: the user has to allow each call. deny: no agent "
        "has it. Unset: what a less specific entry says, else what the tool says of itself.",
    )
    timeout_s: Seconds | None = Field(default=None, description="One call; 30 where unset.")
    max_result_chars: int | None = Field(
        default=None,
        ge=100,
        le=1_000_000,
        description="What is longer is cut, and says so; 32000 where unset.",
    )
    answer_within_s: AnswerSeconds | None = Field(
        default=None, description="How long its questions wait for people; else the workflow's."
    )
    parameters: dict[str, ParameterEntry] = Field(
        default_factory=dict, description="Checked against the tool's own; not for a pattern."
    )


class ToolsFile(RootModel[dict[ToolName, ToolEntry]]):
    """Every tool that there is for agents, by name or by pattern."""


@dataclass(frozen=True, slots=True)
class WhiteList:
    """The rules of `tools.yaml` by name or pattern, the tools that they list, and what is wrong
    with the file.
    """

    rules: Mapping[str, ToolRule]
    names: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


# Each tool that may be named to its parameters' JSON schema; None where that is not known yet.
Own = Mapping[str, Mapping[str, Any] | None]


def load_tools(
    path: Path, own: Own, servers: Servers = MappingProxyType({})
) -> Mapping[str, ToolRule]:
    """The rules by tool.

    Raises:
        ConfigError: every problem of the file.
    """
    listed = read_tools(path, own, servers)
    if listed.problems:
        raise ConfigError(listed.problems)
    return listed.rules


def read_tools(path: Path, own: Own, servers: Servers = MappingProxyType({})) -> WhiteList:
    """`load_tools` with the problems beside what is valid; `servers` bring tools of their own.

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
    theirs = {name: None for name in entries if name not in own and is_servers(name, servers)}
    names = listed_names({*own, *(n for n in rules if not is_pattern(n))}, rules.values())
    found = (*salvage.problems, *_problems(salvage.document, entries, {**own, **theirs}))
    return WhiteList(rules, names, tuple(sorted(found, key=lambda one: (one.line, one.column))))


def _problems(document: Document, entries: Mapping[str, ToolEntry], own: Own) -> Iterator[Problem]:
    for name, entry in entries.items():
        if is_pattern(name):
            if entry.parameters:
                message = "a pattern stands for many tools and has no parameters"
                yield document.problem((name, "parameters"), message, of_key=True)
            continue
        if name == REQUEST_PLAN and entry.policy == "allow":
            message = f"{name!r} always asks: a plan that nobody sees is none"
            yield document.problem((name, "policy"), message, "ask")
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
