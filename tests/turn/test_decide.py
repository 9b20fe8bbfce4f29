"""Which stages run and whose text is the answer: every combination of rules, as a table."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.turn.decide import Run, Skip, decide, looks_back, skip_rule, stops
from callsheet.turn.view import StageResult, TurnView
from callsheet.workflows.workflow import Stage, TaskSpec, Workflow
from tests.turn.scripted import MOMENT, PlainRule, stage, workflow

YES, NO = PlainRule(lambda v: True, "intent"), PlainRule(lambda v: False, "intent")
LATE = PlainRule(lambda v: True, "execution")
VIEW = TurnView("Hello", (), MOMENT).after("intent", StageResult("{}", {"simple": True}))


def simple(variables: dict[str, Any]) -> bool:
    return bool(variables["stages"]["intent"]["output"]["simple"])


SIMPLE = PlainRule(simple, "intent")


@pytest.mark.parametrize(
    ("rules", "decision"),
    [
        ({}, Run(visible=False)),
        ({"run_when": YES}, Run(visible=False)),
        ({"run_when": NO}, Skip("plain")),
        ({"skip_when": YES}, Skip("plain")),
        ({"skip_when": NO}, Run(visible=False)),
        ({"skip_when": SIMPLE}, Skip("plain")),
        ({"run_when": YES, "skip_when": NO}, Run(visible=False)),
        ({"run_when": YES, "skip_when": YES}, Skip("plain")),
        ({"run_when": NO, "skip_when": NO}, Skip("plain")),
        ({"visible": True}, Run(visible=True)),
        ({"visible": True, "run_when": YES, "skip_when": NO}, Run(visible=True)),
        ({"visible": True, "skip_when": YES}, Skip("plain")),
        ({"visible": True, "stop_when": YES}, Run(visible=False)),
        ({"visible": True, "stop_when": NO}, Run(visible=False)),
    ],
)
def test_a_stages_own_rules(rules: Any, decision: Run | Skip) -> None:
    assert decide(stage("execution", **rules), (), VIEW) == decision


VISIBLE = stage("execution", visible=True)


@pytest.mark.parametrize(
    ("later", "streams_as_the_answer"),
    [
        ([], True),
        ([stage("a"), stage("b")], True),
        ([stage("a", visible=True)], False),
        ([stage("a"), stage("b", visible=True)], False),
        ([stage("a", visible=True, skip_when=YES)], True),
        ([stage("a", visible=True, skip_when=NO)], False),
        ([stage("a", visible=True, run_when=NO)], True),
        ([stage("a", visible=True, run_when=YES)], False),
        ([stage("a", visible=True, skip_when=LATE)], False),
        ([stage("a", visible=True, run_when=LATE)], False),
        ([stage("a", visible=True, run_when=NO, skip_when=NO)], True),
        ([stage("a", visible=True, run_when=NO, skip_when=LATE)], False),
        ([stage("a", visible=True, skip_when=YES), stage("b", visible=True)], False),
        ([stage("a", visible=True, skip_when=YES), stage("b", visible=True, skip_when=YES)], True),
        ([stage("a", visible=True, skip_when=YES, stop_when=YES)], True),
    ],
)
def test_a_visible_stage_streams_live_when_no_later_one_can_take_its_place(
    later: list[Stage], streams_as_the_answer: bool
) -> None:
    assert decide(VISIBLE, later, VIEW) == Run(visible=streams_as_the_answer)
    assert decide(stage("inner"), later, VIEW) == Run(visible=False)


def test_the_rule_that_left_a_stage_out_is_named() -> None:
    first, second = PlainRule(lambda v: False), PlainRule(lambda v: True)
    first.expression, second.expression = "run rule", "skip rule"
    assert skip_rule(stage("s", run_when=first, skip_when=second), VIEW) == "run rule"
    assert skip_rule(stage("s", skip_when=second), VIEW) == "skip rule"
    assert skip_rule(stage("s"), VIEW) is None


@pytest.mark.parametrize(
    ("rule", "ends"), [(None, False), (NO, False), (YES, True), (SIMPLE, True)]
)
def test_a_turn_ends_after_a_stage_whose_stop_rule_holds(
    rule: PlainRule | None, ends: bool
) -> None:
    assert stops(stage("intent", stop_when=rule), VIEW) is ends


def counting(expression: str) -> PlainRule:
    rule = PlainRule(lambda v: False)
    rule.expression = expression
    return rule


COUNT = counting("session.message_count > 3")
TASK = TaskSpec(
    name="t", description="d", expected_output="e", agent="a",
    inputs={"n": "session.message_count"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("flow", "looks"),
    [
        (workflow(stage("a"), stage("b", skip_when=YES)), False),
        (workflow(stage("a"), stage("b", history=True)), True),
        (workflow(stage("a", run_when=COUNT)), True),
        (workflow(stage("a", skip_when=COUNT)), True),
        (workflow(stage("a", stop_when=COUNT)), True),
        (workflow(stage("a", tasks=(TASK,))), True),
        (workflow(stage("a", skip_when=counting("message.text == 'x'"))), False),
    ],
)
def test_the_session_is_read_where_a_stage_a_rule_or_an_input_asks_for_it(
    flow: Workflow, looks: bool
) -> None:
    assert looks_back(flow) is looks
