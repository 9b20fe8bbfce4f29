"""Which stages run, and whose text is the answer; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from callsheet.todos.todo_list import TOOL as TODO_LIST
from callsheet.turn.view import TurnView
from callsheet.workflows.workflow import Stage, Workflow


@dataclass(frozen=True, slots=True)
class Skip:
    """The stage is left out, because of this rule."""

    rule: str


@dataclass(frozen=True, slots=True)
class Run:
    """The stage runs. `visible`: its text is the answer, for certain, and streams as such."""

    visible: bool


def skip_rule(stage: Stage, view: TurnView) -> str | None:
    """The rule that leaves the stage out as things stand, None where none does."""
    variables = view.variables()
    if stage.run_when is not None and not stage.run_when.holds(variables):
        return stage.run_when.expression
    if stage.skip_when is not None and stage.skip_when.holds(variables):
        return stage.skip_when.expression
    return None


def decide(stage: Stage, later: Sequence[Stage], view: TurnView) -> Run | Skip:
    """What to do with `stage`, knowing the stages after it and what has been done."""
    rule = skip_rule(stage, view)
    if rule is not None:
        return Skip(rule)
    may_stop = stage.stop_when is not None
    visible = stage.visible and not may_stop and _all_are_left_out(later, view)
    return Run(visible=visible)


def stops(stage: Stage, view: TurnView) -> bool:
    """Whether the turn ends after `stage`, whose result is in the view."""
    return stage.stop_when is not None and stage.stop_when.holds(view.variables())


def looks_back(workflow: Workflow) -> bool:
    """Whether anything in it may look at what was said, or left open, before in the session."""
    return any(
        stage.history
        or any(TODO_LIST in agent.tools for agent in stage.agents.values())
        or any(
            rule is not None and "message_count" in rule.expression
            for rule in (stage.run_when, stage.skip_when, stage.stop_when)
        )
        or any("session.message_count" in task.inputs.values() for task in stage.tasks)
        for stage in workflow.stages
    )


def _all_are_left_out(later: Sequence[Stage], view: TurnView) -> bool:
    """Whether no later visible stage can run, whatever the stages in between will give."""
    done = frozenset(view.results)
    for stage in later:
        if not stage.visible:
            continue
        rules = [r for r in (stage.run_when, stage.skip_when) if r is not None]
        if not rules or any(not rule.stages <= done for rule in rules):
            return False
        if skip_rule(stage, view) is None:
            return False
    return True
