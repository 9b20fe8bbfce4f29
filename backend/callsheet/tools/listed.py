"""A tool as people see it who ask which ones there are."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.tools.facts import ToolFacts
from callsheet.workflows.tool_rule import ToolPolicy


@dataclass(frozen=True, slots=True)
class ListedTool:
    """`policy` None: `tools.yaml` does not list it, so that no agent has it.

    `unavailable` is why it cannot be used now, None where it can.
    """

    facts: ToolFacts
    policy: ToolPolicy | None
    unavailable: str | None

    @property
    def is_usable(self) -> bool:
        """Whether an agent that has it is offered it now."""
        return self.unavailable is None and self.policy not in (None, "deny")

    def label(self, language: str) -> str:
        """Its name for people who read that language (`zh`, `zh-TW`)."""
        labels = self.facts.label
        wanted = (language, language.partition("-")[0], "en")
        return next((labels[each] for each in wanted if each in labels), self.facts.name)
