"""Who decides whether a tool runs, asks, waits for a plan, or is not there."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.tools.facts import ToolFacts
from callsheet.tools.options import ToolOptions
from callsheet.tools.policy import Policy
from callsheet.workflows.tool_rule import ToolRule
from callsheet.workflows.tools_file import REQUEST_PLAN


def facts(name: str = "mail_send", **more: Any) -> ToolFacts:
    return ToolFacts(name, "Does it.", {}, owner="tests", origin="python", **more)


ALLOW_ALL = ToolRule("*", "allow")
CHANGES = {"side_effect": "A mail is sent."}
WANTS: dict[str, Any] = {"requires_approval": True}


@pytest.mark.parametrize(
    ("rules", "more", "kind"),
    [
        ([], {}, "run"),
        ([], CHANGES, "run"),
        ([], WANTS, "ask"),
        ([ToolRule("mail_send", "ask")], {}, "ask"),
        ([ToolRule("mail_*", "ask")], {}, "ask"),
        ([ToolRule("mail_*", "deny")], {}, "deny"),
        ([ToolRule("MAIL_*", "deny")], {}, "run"),
        ([ToolRule("mail_?", "deny")], {}, "run"),
        ([ToolRule("mail_sen?", "deny")], {}, "deny"),
        # The most specific rule decides, wherever it stands.
        ([ToolRule("mail_*", "deny"), ToolRule("mail_send", "allow")], {}, "run"),
        ([ToolRule("mail_send", "allow"), ToolRule("mail_*", "deny")], {}, "run"),
        ([ToolRule("*", "deny"), ToolRule("mail_*", "ask")], {}, "ask"),
        ([ToolRule("mail_*", "ask"), ToolRule("*_send", "deny")], {}, "deny"),
        ([ToolRule("*_send", "allow"), ToolRule("mail_", "deny")], {}, "run"),
        # Of two that are as specific the stricter one.
        ([ToolRule("mail_*", "allow"), ToolRule("*_send", "ask")], {}, "ask"),
        # An entry that says nothing of it leaves it to the less specific one.
        ([ToolRule("mail_send", timeout_s=5), ToolRule("mail_*", "deny")], {}, "deny"),
        # What a tool wants of itself is taken from it under its own name alone.
        ([ALLOW_ALL], WANTS, "ask"),
        ([ToolRule("mail_*", "allow")], WANTS, "ask"),
        ([ToolRule("mail_send", "allow")], WANTS, "run"),
        ([ToolRule("mail_send", timeout_s=5), ALLOW_ALL], WANTS, "ask"),
        ([ToolRule("mail_*", "deny")], WANTS, "deny"),
    ],
)
def test_verdicts(rules: list[ToolRule], more: dict[str, Any], kind: str) -> None:
    assert Policy(rules).verdict(facts(**more)).kind == kind


@pytest.mark.parametrize(
    ("rules", "more", "kind"),
    [
        ([], {}, "run"),
        ([], CHANGES, "plan"),
        ([], WANTS, "plan"),
        ([ToolRule("mail_send", "ask")], {}, "plan"),
        ([ToolRule("mail_send", "allow")], CHANGES, "plan"),
        ([ToolRule("mail_send", "allow")], WANTS, "plan"),
        ([ToolRule("mail_send", "deny")], CHANGES, "deny"),
    ],
)
def test_verdicts_while_a_plan_is_missing(
    rules: list[ToolRule], more: dict[str, Any], kind: str
) -> None:
    assert Policy(rules).verdict(facts(**more), needs_plan=True).kind == kind


@pytest.mark.parametrize("needs_plan", [True, False])
def test_a_plan_is_shown_whatever_the_rules_allow(needs_plan: bool) -> None:
    plan = facts(REQUEST_PLAN, **WANTS)
    for rules in ([], [ALLOW_ALL], [ToolRule(REQUEST_PLAN, "allow")]):
        assert Policy(rules).verdict(plan, needs_plan=needs_plan).kind == "ask"
    denied = Policy([ToolRule(REQUEST_PLAN, "deny")])
    assert denied.verdict(plan, needs_plan=needs_plan).kind == "deny"


def test_people_are_told_why_they_are_asked() -> None:
    own = Policy().verdict(facts(**WANTS)).reason
    named = Policy([ToolRule("mail_send", "ask")]).verdict(facts()).reason
    fitted = Policy([ToolRule("mail_*", "ask")]).verdict(facts()).reason
    assert len({own, named, fitted}) == 3
    assert "mail_*" in fitted


def test_each_limit_is_that_of_the_most_specific_rule_that_has_it() -> None:
    policy = Policy(
        [
            ToolRule("mail_*", timeout_s=7, max_result_chars=500, answer_within_s=90),
            ToolRule("mail_send", timeout_s=3),
            ToolRule("*", answer_within_s=600, max_result_chars=9000),
        ]
    )
    assert policy.options("mail_send") == ToolOptions(
        timeout_s=3, max_result_chars=500, answer_within_s=90
    )
    assert policy.options("other") == ToolOptions(max_result_chars=9000, answer_within_s=600)
