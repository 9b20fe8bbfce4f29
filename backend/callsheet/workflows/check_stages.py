"""What is wrong with the stages of a draft, beyond their schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callsheet.kit.errors import Problem
from callsheet.kit.yaml import Document
from callsheet.kit.yaml_words import closest
from callsheet.workflows.draft import Draft, Part
from callsheet.workflows.rule_cel import CelRule, RuleError, compile_rule
from callsheet.workflows.variables import Scope
from callsheet.workflows.workflow_file import StageEntry

RULES: Final = ("run_when", "skip_when", "stop_when")


def stage_problems(draft: Draft) -> Iterator[Problem]:
    """Names, crews, times, retries and rules of the stages."""
    document, workflow = draft.workflow.document, draft.workflow.value
    if document is None or workflow is None:
        return
    names = [stage.name for stage in draft.stages]
    for index, stage in enumerate(draft.stages):
        if stage.name in names[:index]:
            message = f"the stage {stage.name!r} stands twice"
            yield document.problem(("stages", index, "name"), message)
        yield from _crew(draft, document, index, stage)
        yield from _limits(document, index, stage, workflow.timeout_s)
        if draft.workflow.is_valid:
            yield from _retry(document, index, stage)
        yield from _rules(draft, document, index, stage)
    if draft.workflow.is_valid and not any(stage.visible for stage in workflow.stages):
        message = "no stage is visible, so that there would be no answer"
        yield document.problem(("stages",), message, "visible: true", of_key=True)


def compiled(stage: StageEntry, key: str, before: Scope, after: Scope) -> CelRule | None:
    """The stage's rule under `key`; raises RuleError. `stop_when` sees its own stage's result."""
    text = getattr(stage, key)
    return None if text is None else compile_rule(text, after if key == "stop_when" else before)


def _crew(draft: Draft, document: Document, index: int, stage: StageEntry) -> Iterator[Problem]:
    place = ("stages", index)
    yield from _named(document, (*place, "agents"), stage.agents, draft.agents, "agent")
    yield from _named(document, (*place, "tasks"), stage.tasks, draft.tasks, "task")
    known = draft.agents.whole.keys() if draft.agents.whole is not None else ()
    for number, name in enumerate(stage.tasks):
        task = draft.task_entries.get(name)
        is_told = task is None or task.agent not in known or not set(stage.agents) <= set(known)
        if task is not None and not is_told and task.agent not in stage.agents:
            message = f"the agent {task.agent!r} of the task {name!r} is not in this stage"
            yield document.problem((*place, "tasks", number), message)
    last = draft.task_entries.get(stage.tasks[-1])
    if last is not None and last.async_execution and draft.tasks.document is not None:
        message = f"is the last task of the stage {stage.name!r}, whose result has to be waited for"
        yield draft.tasks.document.problem((stage.tasks[-1], "async_execution"), message)
    for name in stage.agents:
        agent = draft.agent_entries.get(name)
        lone = agent is not None and agent.allow_delegation and len(stage.agents) == 1
        if lone and draft.agents.document is not None:
            message = f"the stage {stage.name!r} has no other agent to delegate to"
            yield draft.agents.document.problem((name, "allow_delegation"), message)


def _named(
    document: Document,
    place: tuple[str | int, ...],
    names: tuple[str, ...],
    part: Part,  # type: ignore[type-arg]  # of agents or of tasks
    kind: str,
) -> Iterator[Problem]:
    known = part.whole.keys() if part.whole is not None else None
    for number, name in enumerate(names):
        if known is not None and name not in known:
            message = f"there is no {kind} {name!r}"
            yield document.problem((*place, number), message, closest(name, known))
        if name in names[:number]:
            yield document.problem((*place, number), f"the {kind} {name!r} is named twice")


def _limits(document: Document, index: int, stage: StageEntry, turn_s: float) -> Iterator[Problem]:
    if stage.timeout_s is not None and stage.timeout_s > turn_s:
        message = f"is longer than the turn's timeout_s, {turn_s:g}"
        yield document.problem(("stages", index, "timeout_s"), message)


def _retry(document: Document, index: int, stage: StageEntry) -> Iterator[Problem]:
    if stage.retry.attempts > 1 and not stage.retry.on:
        message = "more than one attempt needs 'on': the error codes to try again after"
        yield document.problem(("stages", index, "retry"), message, of_key=True)
    if stage.retry.on and stage.retry.attempts == 1:
        message = "'on' has no effect with one attempt: set 'attempts'"
        yield document.problem(("stages", index, "retry", "on"), message, of_key=True)


def _rules(draft: Draft, document: Document, index: int, stage: StageEntry) -> Iterator[Problem]:
    before, after = draft.scope(index), draft.scope(index + 1)
    for key in RULES:
        try:
            compiled(stage, key, before, after)
        except RuleError as error:
            at = document.inside(("stages", index, key), error.line, error.column)
            yield Problem(document.file, at.line, at.column, str(error), error.suggestion)
