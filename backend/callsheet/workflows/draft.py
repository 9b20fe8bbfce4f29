"""A workflow's files on the way to a workflow: what can be used of each, and every problem."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, compose_bytes
from callsheet.kit.yaml_nodes import ScalarNode, SequenceNode
from callsheet.kit.yaml_source import text_of
from callsheet.workflows.agents_file import AgentEntry, AgentsFile
from callsheet.workflows.folder import PARTS, Folder
from callsheet.workflows.server_tools import Servers
from callsheet.workflows.tasks_file import TaskEntry, TasksFile
from callsheet.workflows.variables import UNKNOWN, Scope
from callsheet.workflows.workflow_file import StageEntry, WorkflowFile

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Known:
    """What workflows may name. None: not known here, so that it is not checked.

    `missing_keys` maps a model that lacks its provider's key to the variable that would hold it;
    `servers` are the MCP servers, whose tools are not among `tools`.
    """

    models: Collection[str] | None = None
    tools: Collection[str] | None = None
    missing_keys: Mapping[str, str] = field(default_factory=dict)
    servers: Servers = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part(Generic[M]):
    """One file. `value` is what is valid in it, with its positions in `document`; `whole` is the
    file as written. All are None where there is no such thing. Where `is_valid` is not set
    something was taken out, so that what is missing in `value` may stand in the file.
    """

    value: M | None = None
    document: Document | None = None
    whole: Document | None = None
    is_valid: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """All files of a folder; `prompts` maps each prompt's path to its text."""

    folder: Folder
    known: Known
    workflow: Part[WorkflowFile]
    agents: Part[AgentsFile]
    tasks: Part[TasksFile]
    prompts: Mapping[str, str]
    problems: list[Problem] = field(default_factory=list)

    @property
    def stages(self) -> Sequence[StageEntry]:
        """The valid stages, in order."""
        return self.workflow.value.stages if self.workflow.value else ()

    @property
    def agent_entries(self) -> Mapping[str, AgentEntry]:
        """The valid agents."""
        return self.agents.value.root if self.agents.value else {}

    @property
    def task_entries(self) -> Mapping[str, TaskEntry]:
        """The valid tasks."""
        return self.tasks.value.root if self.tasks.value else {}

    def scope(self, before: int) -> Scope:
        """What can be seen when `before` of the valid stages have run.

        A stage that is not valid counts as one that may have given anything.
        """
        if self.workflow.document is None:
            return Scope({}, None)
        schemas: dict[str, Mapping[str, Any] | None] = {}
        valid = [stage.name for stage in self.stages]
        for name in self._stage_names():
            if name not in valid:
                schemas[name] = UNKNOWN
        for stage in self.stages[:before]:
            schemas[stage.name] = self._schema(stage.tasks[-1])
        return Scope(schemas, valid)

    def _schema(self, task: str) -> Mapping[str, Any] | None:
        entry = self.task_entries.get(task)
        if entry is None or (entry.output_schema is None and not self.tasks.is_valid):
            return UNKNOWN
        return entry.output_schema

    def _stage_names(self) -> list[str]:
        whole = self.workflow.whole
        node = whole.node(("stages",)) if whole else None
        count = len(node.items) if isinstance(node, SequenceNode) else 0
        names = (whole.node(("stages", index, "name")) for index in range(count) if whole)
        return [name.text for name in names if isinstance(name, ScalarNode)]


def read_draft(folder: Folder, known: Known) -> Draft:
    """The folder's files, each as far as it can be used."""
    problems: list[Problem] = []
    workflow, agents, tasks = PARTS
    return Draft(
        folder=folder,
        known=known,
        workflow=_part(folder, workflow, WorkflowFile, problems),
        agents=_part(folder, agents, AgentsFile, problems),
        tasks=_part(folder, tasks, TasksFile, problems),
        prompts=_prompts(folder, problems),
        problems=problems,
    )


def _part(folder: Folder, file: str, model: type[M], problems: list[Problem]) -> Part[M]:
    shown = folder.path(file)
    if file not in folder.files:
        problems.append(Problem(shown, 0, 0, "there is no such file"))
        return Part()
    try:
        whole = compose_bytes(folder.files[file], shown)
    except ConfigError as error:
        problems.extend(error.problems)
        return Part()
    salvage = whole.salvage(model)
    problems.extend(salvage.problems)
    return Part(salvage.value, salvage.document, whole, not salvage.problems)


def _prompts(folder: Folder, problems: list[Problem]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for file, raw in folder.files.items():
        if file in PARTS:
            continue
        try:
            texts[file] = text_of(raw, folder.path(file))
        except ConfigError as error:
            problems.extend(error.problems)
            texts[file] = ""
            continue
        if not texts[file].strip():
            problems.append(Problem(folder.path(file), 1, 1, "the file is empty"))
    return texts
