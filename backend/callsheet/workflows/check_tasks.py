"""What is wrong with the tasks of a draft, beyond their schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from callsheet.kit.errors import Problem
from callsheet.kit.yaml import Document
from callsheet.kit.yaml_nodes import MappingNode, Node
from callsheet.kit.yaml_words import closest
from callsheet.workflows.check_agents import prompt_problem, prompt_problems
from callsheet.workflows.draft import Draft
from callsheet.workflows.marks import marks
from callsheet.workflows.output_schema import faults
from callsheet.workflows.tasks_file import TaskEntry
from callsheet.workflows.variables import Scope
from callsheet.workflows.workflow_file import StageEntry


def task_problems(draft: Draft) -> Iterator[Problem]:
    """Unknown agents and prompts, context, inputs and marks, output schemas."""
    document = draft.tasks.document
    if document is None:
        return
    for name, task in draft.task_entries.items():
        yield from _agent(draft, document, name, task)
        yield from prompt_problems(draft, document, name, task.prompt)
        yield from _output_schema(document, name, task)
        yield from _marks(draft, document, name, task)
        for before in _uses(draft, name):
            yield from _inputs(document, name, task, draft.scope(before))
        yield from _context(draft, document, name, task)


def _agent(draft: Draft, document: Document, name: str, task: TaskEntry) -> Iterator[Problem]:
    whole = draft.agents.whole
    if whole is not None and task.agent not in whole.keys():  # noqa: SIM118  # not a dict
        message = f"there is no agent {task.agent!r}"
        yield document.problem((name, "agent"), message, closest(task.agent, whole.keys()))


def _output_schema(document: Document, name: str, task: TaskEntry) -> Iterator[Problem]:
    if task.output_schema is None:
        return
    for place, message in faults(task.output_schema):
        yield document.problem((name, "output_schema", *place), message)


def _marks(draft: Draft, document: Document, name: str, task: TaskEntry) -> Iterator[Problem]:
    whole, prompt = draft.tasks.whole, task.prompt or ""
    written = whole.node((name, "inputs")) if whole is not None else None
    if written is not None and _keys(written) != tuple(task.inputs):
        return  # the inputs have mistakes of their own
    used: set[str | None] = set()
    for key in ("description", "expected_output"):
        for mark in marks(getattr(task, key)):
            near = None if mark in task.inputs else closest(mark, task.inputs)
            used |= {mark, near}
            if mark not in task.inputs:
                at = document.find((name, key), f"{{{mark}}}")
                yield Problem(document.file, at.line, at.column, _undeclared(mark), near)
    for mark in marks(draft.prompts.get(prompt, "")):
        used.add(mark)
        if mark not in task.inputs:
            yield prompt_problem(draft, prompt, mark, _undeclared(mark))
    if draft.tasks.is_valid and prompt in (*draft.prompts, ""):
        for declared in set(task.inputs) - used:
            message = f"the input {declared!r} is declared, but {{{declared}}} stands nowhere"
            yield document.problem((name, "inputs", declared), message, of_key=True)


def _keys(node: Node) -> tuple[str, ...] | None:
    """The keys of a mapping; None where the node is none."""
    return tuple(node.entries) if isinstance(node, MappingNode) else None


def _undeclared(mark: str) -> str:
    return (
        f"the variable {{{mark}}} is not declared in the task's inputs "
        f"(for the words themselves write {{{{{mark}}}}})"
    )


def _uses(draft: Draft, name: str) -> Sequence[int]:
    """How many stages have run before each that has the task; all where none has it."""
    found = [index for index, stage in enumerate(draft.stages) if name in stage.tasks]
    return found or [len(draft.stages)]


def _inputs(document: Document, name: str, task: TaskEntry, scope: Scope) -> Iterator[Problem]:
    for variable, entry in task.inputs.items():
        place: tuple[str, ...] = (name, "inputs", variable)
        source, form = entry, "data"
        if not isinstance(entry, str):
            source, form, place = entry.source, entry.as_, (*place, "from")
        wrong = scope.wrong(str(source).split("."))
        if wrong is not None:
            yield document.problem(place, wrong.message, wrong.suggestion)
        elif form == "text" and not scope.is_closed(str(source)):
            message = f"{source} may hold anybody's words: it can only come as data"
            yield document.problem((name, "inputs", variable, "as"), message, "data")


def _context(draft: Draft, document: Document, name: str, task: TaskEntry) -> Iterator[Problem]:
    whole = draft.tasks.whole
    known = whole.keys() if whole is not None else ()
    stages = [stage for stage in draft.stages if name in stage.tasks]
    for index, other in enumerate(task.context):
        place = (name, "context", index)
        if other not in known:
            yield document.problem(place, f"there is no task {other!r}", closest(other, known))
        elif cycle := _cycle(draft, name, other):
            yield document.problem(place, f"the context goes in a circle: {' -> '.join(cycle)}")
        else:
            for stage in stages:
                if wrong := _unusable(draft, stage, name, other):
                    yield document.problem(place, f"the task {other!r} {wrong}")


def _unusable(draft: Draft, stage: StageEntry, name: str, other: str) -> str | None:
    """Why the task cannot have the result of `other` in this stage; None where it can.

    Tasks with `async_execution` that follow one another all begin at once; CrewAI refuses one of
    them as context of another.
    """
    if other not in stage.tasks:
        return f"is not in the stage {stage.name!r}"
    end, begin = stage.tasks.index(name), stage.tasks.index(other)
    if begin >= end:
        return f"comes later in the stage {stage.name!r}"
    between = (draft.task_entries.get(each) for each in stage.tasks[begin : end + 1])
    if all(entry is not None and entry.async_execution for entry in between):
        return "runs beside it: with async_execution neither can wait for the other"
    return None


def _cycle(draft: Draft, name: str, other: str) -> list[str]:
    """The way from the task through its context back to it; empty where there is none."""
    ways = [[name, other]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        if way[-1] == name:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            entry = draft.task_entries.get(way[-1])
            ways += [[*way, step] for step in (entry.context if entry else ())]
    return []
