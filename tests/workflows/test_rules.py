"""Rules in CEL: what they may name, and what they say of a turn."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from callsheet.workflows.rule_cel import RuleError, compile_rule
from callsheet.workflows.variables import Scope

SCOPE = Scope(
    {
        "plan": {
            "type": "object",
            "properties": {
                "kind": {"enum": ["a", "b"]},
                "steps": {"type": "array"},
                "deep": {"type": "object", "additionalProperties": True},
            },
        },
        "look": None,
    },
    ["plan", "look", "later"],
)
TURN: dict[str, Any] = {
    "message": {"text": "Hello", "length": 5},
    "session": {"message_count": 3},
    "now": {"date": "2026-01-31", "iso": "2026-01-31T10:00:00+00:00"},
    "stages": {"plan": {"text": "{}", "output": {"kind": "a", "steps": ["x", "y"], "n": None}}},
}


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ('stages.plan.output.kind == "a"', True),
        ('stages.plan.output.kind == "b"', False),
        ('stages["plan"].output["kind"] in ["a", "c"]', True),
        ("size(stages.plan.output.steps) > 1 && message.length < 10", True),
        ('stages.plan.output.steps.exists(step, step == "y")', True),
        ("has(stages.plan.output.kind)", True),
        ("has(stages.look)", False),
        ("!has(stages.look)", True),
        ('message.text.startsWith("He") || stages.look.text == "x"', True),
        ("session.message_count >= 3", True),
        ('now.date > "2026-01-01"', True),
        ("true", True),
        # absent values make a rule false, whatever it asks of them
        ('stages.look.text == "x"', False),
        ('stages.look.text != "x"', False),
        ("stages.plan.output.deep.x == 1", False),
    ],
)
def test_a_rule_says_what_is_true_of_the_turn(rule: str, holds: bool) -> None:
    with capture_logs() as lines:
        assert compile_rule(rule, SCOPE).holds(TURN) is holds
    assert lines == []


@pytest.mark.parametrize(
    "rule", ["stages.plan.output.kind > 3", "message.text", "int(message.text) > 3"]
)
def test_a_rule_that_cannot_be_decided_is_false_and_logged_once(rule: str) -> None:
    compiled = compile_rule(rule, SCOPE)

    with capture_logs() as lines:
        assert [compiled.holds(TURN) for _ in range(3)] == [False, False, False]

    (line,) = lines
    assert (line["event"], line["rule"]) == ("rule_cannot_be_decided", rule)
    assert "Hello" not in line["reason"]


@pytest.mark.parametrize(
    ("rule", "stages"),
    [
        ('stages.plan.output.kind == "a" || stages["look"].text == "b"', {"plan", "look"}),
        ("message.length > 1", set()),
        ("stages.plan.output.steps.exists(stages, stages == 'x')", {"plan"}),
        ("[1, 2].map(x, x + size(stages.look.text)) == [1]", {"look"}),
        ("{'a': stages.plan.text}['a'] == 'x'", {"plan"}),
        ("stages.plan.output[stages.look.text] == 1", {"plan", "look"}),
    ],
)
def test_a_rule_knows_which_stages_it_looks_at(rule: str, stages: set[str]) -> None:
    assert compile_rule(rule, SCOPE).stages == stages


@pytest.mark.parametrize(
    ("rule", "line", "column", "says"),
    [
        ("", 1, 1, "cannot be read"),
        ("1 +\n  ) 2", 2, 3, "cannot be read"),
        ("true && mesage.text == ''", 1, 9, "no variable 'mesage'"),
        ("stages == 1", 1, 1, "name the stage"),
        ("stages[message.text].text == 'x'", 1, 1, "name the stage"),
        ("stages.later.text == ''", 1, 1, "has not run yet"),
        ("stages.look.output.x == 1", 1, 1, "gives free text"),
        ("stages.plan.output.kinds == 1", 1, 1, "knows no 'stages.plan.output.kinds'"),
        ("message.text.size == 1", 1, 1, "no variable 'message.text.size'"),
        ("[1].exists(v, v > w)", 1, 19, "no variable 'w'"),
        ("upper(message.text) == 'A'", 1, 1, "no function 'upper'"),
        ("message.text.upper() == 'A'", 1, 14, "no function 'upper'"),
    ],
)
def test_a_rule_that_cannot_work_is_refused_at_its_place(
    rule: str, line: int, column: int, says: str
) -> None:
    with pytest.raises(RuleError) as caught:
        compile_rule(rule, SCOPE)

    assert (caught.value.line, caught.value.column) == (line, column)
    assert says in str(caught.value)


def test_rules_of_the_same_text_are_equal() -> None:
    first, second = compile_rule("true", SCOPE), compile_rule("true", SCOPE)

    assert (first, hash(first)) == (second, hash(second))
    assert first != compile_rule("false", SCOPE)
    assert (repr(first), first.expression) == ("CelRule('true')", "true")
