"""Whether a tool may be called, and under which limits; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from callsheet.tools.facts import ToolFacts
from callsheet.tools.options import ToolOptions
from callsheet.workflows.tool_rule import ToolRule, rules_for
from callsheet.workflows.tools_file import REQUEST_PLAN


@dataclass(frozen=True, slots=True)
class Verdict:
    """`run`: without asking. `ask`: once a person has allowed this call, `reason` tells them why
    they are asked. `plan`: not before a plan is approved. `deny`: as if there were no such tool.
    """

    kind: Literal["run", "ask", "plan", "deny"]
    reason: str = ""


_RUN: Final = Verdict("run")
_DENY: Final = Verdict("deny")
_PLAN: Final = Verdict("plan")
_SHOWS_PLAN: Final = Verdict("ask", "The plan is to be approved before anything is changed.")
_TOOLS_OWN: Final = "The tool has to be allowed each time it is used."
_NAMED: Final = "This deployment has every use of the tool allowed by the user."
_FITTED: Final = "This deployment has every use of tools such as {} allowed by the user."


class Policy:
    """The rules of `tools.yaml`, with what holds where they say nothing."""

    def __init__(self, rules: Iterable[ToolRule] = (), common: ToolOptions | None = None) -> None:
        self._rules = tuple(rules)
        self._said: dict[str, ToolRule | None] = {}  # of tools that there are: it stays small
        self._common = common or ToolOptions()

    def options(self, name: str, own_s: float | None = None) -> ToolOptions:
        """The limits of the tool of that name: each from the most specific rule that has it.

        `own_s`: what the tool itself wants for one call, where no rule says it.
        """
        timeout_s = max_result_chars = answer_within_s = None
        for rule in rules_for(name, self._rules):
            timeout_s = rule.timeout_s if timeout_s is None else timeout_s
            answer_within_s = answer_within_s or rule.answer_within_s
            max_result_chars = max_result_chars or rule.max_result_chars
        common = self._common
        return ToolOptions(
            timeout_s=next(s for s in (timeout_s, own_s, common.timeout_s) if s is not None),
            max_argument_chars=common.max_argument_chars,
            max_result_chars=max_result_chars or common.max_result_chars,
            answer_within_s=answer_within_s or common.answer_within_s,
        )

    def verdict(self, facts: ToolFacts, *, needs_plan: bool = False) -> Verdict:
        """What becomes of a call. `needs_plan`: the session is in plan mode, and none is approved.

        The most specific rule with a policy decides. A tool that wants to be allowed each time is
        let off only by an `allow` under its own name, never by a pattern. A plan is always shown.
        """
        if facts.name not in self._said:
            fitting = rules_for(facts.name, self._rules)
            self._said[facts.name] = next((rule for rule in fitting if rule.policy), None)
        asked = self._asked(facts, self._said[facts.name])
        if asked.kind == "deny" or facts.name == REQUEST_PLAN:
            return asked
        changes = asked.kind == "ask" or facts.side_effect is not None or facts.requires_approval
        return _PLAN if needs_plan and changes else asked

    def _asked(self, facts: ToolFacts, said: ToolRule | None) -> Verdict:
        if said is not None and said.policy == "deny":
            return _DENY
        if facts.name == REQUEST_PLAN:
            return _SHOWS_PLAN
        if said is not None and said.policy == "ask":
            reason = _FITTED.format(said.name) if said.is_pattern else _NAMED
            return Verdict("ask", _TOOLS_OWN if facts.requires_approval else reason)
        is_let_off = said is not None and not said.is_pattern
        if facts.requires_approval and not is_let_off:
            return Verdict("ask", _TOOLS_OWN)
        return _RUN
