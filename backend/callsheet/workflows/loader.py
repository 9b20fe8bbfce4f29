"""From a folder to a workflow, or to every problem in it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from callsheet.kit.errors import ConfigError, Problem
from callsheet.workflows.agents_file import AgentEntry
from callsheet.workflows.check_agents import agent_problems
from callsheet.workflows.check_stages import compiled, stage_problems
from callsheet.workflows.check_tasks import task_problems
from callsheet.workflows.draft import Draft, Known, read_draft
from callsheet.workflows.folder import PARTS, Folder, read_folder
from callsheet.workflows.marks import fill
from callsheet.workflows.revision import revision_of
from callsheet.workflows.tasks_file import TaskEntry
from callsheet.workflows.words import FOLDER_NAME
from callsheet.workflows.workflow import AgentSpec, Retry, Stage, TaskSpec, Workflow
from callsheet.workflows.workflow_file import StageEntry

_STAGE_S: Final = 120.0


def load_workflow(folder: Path, known: Known, shown: str | None = None) -> Workflow:
    """The workflow of a folder; `shown` names the folder in problems, by default its path.

    Raises:
        ConfigError: every problem of its files at once.
    """
    return build(read_folder(folder, shown), known)


def build(folder: Folder, known: Known) -> Workflow:
    """The workflow of a folder that was read.

    Raises:
        ConfigError: every problem of its files at once.
    """
    draft = read_draft(folder, known)
    problems = {
        *draft.problems,
        *_folder_name(folder),
        *stage_problems(draft),
        *agent_problems(draft),
        *task_problems(draft),
    }
    if problems:
        raise ConfigError(sorted(problems, key=lambda one: _order(folder, one)))
    return _workflow(draft)


def _folder_name(folder: Folder) -> list[Problem]:
    if FOLDER_NAME.fullmatch(folder.name):
        return []
    message = (
        f"{folder.name!r} is no legal name of a workflow: up to 40 lower-case letters, digits, "
        "'_' and '-', beginning with a letter"
    )
    return [Problem(folder.shown, 0, 0, message)]


def _order(folder: Folder, problem: Problem) -> tuple[int, str, int, int, str]:
    files = [folder.path(part) for part in PARTS]
    number = files.index(problem.file) if problem.file in files else len(files)
    return number, problem.file, problem.line, problem.column, problem.message


def _workflow(draft: Draft) -> Workflow:
    file = draft.workflow.value
    if file is None:
        raise AssertionError("a draft without problems has its workflow")
    return Workflow(
        name=draft.folder.name,
        revision=revision_of(draft.folder.files),
        stages=tuple(
            _stage(draft, index, stage, file.timeout_s) for index, stage in enumerate(file.stages)
        ),
        timeout_s=file.timeout_s,
        answer_within_s=file.answer_within_s,
        when_busy=file.when_busy,
        when_waiting=file.when_waiting,
        on_spent_budget=file.on_spent_budget,
        label=file.label,
        description=file.description,
        on_disconnect=file.on_disconnect,
        disconnect_grace_s=file.disconnect_grace_s,
        files={path: raw.decode("utf-8-sig") for path, raw in draft.folder.files.items()},
    )


def _stage(draft: Draft, index: int, stage: StageEntry, turn_s: float) -> Stage:
    before, after = draft.scope(index), draft.scope(index + 1)
    return Stage(
        name=stage.name,
        agents={name: _agent(draft, name, draft.agent_entries[name]) for name in stage.agents},
        tasks=tuple(_task(draft, name, draft.task_entries[name]) for name in stage.tasks),
        visible=stage.visible,
        history=stage.history,
        timeout_s=min(_STAGE_S, turn_s) if stage.timeout_s is None else stage.timeout_s,
        retry=Retry(attempts=stage.retry.attempts, on=frozenset(stage.retry.on)),
        run_when=compiled(stage, "run_when", before, after),
        skip_when=compiled(stage, "skip_when", before, after),
        stop_when=compiled(stage, "stop_when", before, after),
    )


def _agent(draft: Draft, name: str, agent: AgentEntry) -> AgentSpec:
    return AgentSpec(
        name=name,
        role=fill(agent.role, {}).strip(),
        goal=fill(agent.goal, {}).strip(),
        backstory=fill(_with_prompt(draft, agent.backstory, agent.prompt), {}),
        default_model=agent.default_model,
        temperature=agent.temperature,
        max_output_tokens=agent.max_output_tokens,
        reasoning=agent.reasoning,
        max_iter=agent.max_iter,
        iteration_timeout_s=agent.iteration_timeout_s,
        allow_delegation=agent.allow_delegation,
        tools=agent.tools,
        label=agent.label,
        client_tools=agent.client_tools,
    )


def _task(draft: Draft, name: str, task: TaskEntry) -> TaskSpec:
    return TaskSpec(
        name=name,
        description=_with_prompt(draft, task.description, task.prompt),
        expected_output=task.expected_output.strip(),
        agent=task.agent,
        context=task.context,
        inputs={
            variable: entry if isinstance(entry, str) else entry.source
            for variable, entry in task.inputs.items()
        },
        output_schema=task.output_schema,
        async_execution=task.async_execution,
        inline_inputs=frozenset(
            variable
            for variable, entry in task.inputs.items()
            if not isinstance(entry, str) and entry.as_ == "text"
        ),
    )


def _with_prompt(draft: Draft, text: str, prompt: str | None) -> str:
    parts = [text.strip()] if prompt is None else [text.strip(), draft.prompts[prompt].strip()]
    return "\n\n".join(parts)
