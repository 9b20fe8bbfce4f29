"""What `tools.yaml` says of a tool, or of all tools whose name fits a pattern; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal

ToolPolicy = Literal["allow", "ask", "deny"]

_STRICTNESS: Final[Mapping[ToolPolicy | None, int]] = {"deny": 0, "ask": 1, "allow": 2, None: 3}


@dataclass(frozen=True, slots=True)
class ToolRule:
    """One entry. `name` is a tool's, or a pattern: `*` any characters, `?` one.

    What is None the entry does not say: the next less specific one is asked. `max_result_chars`
    counts characters of text.
    """

    name: str
    policy: ToolPolicy | None = None
    timeout_s: float | None = None
    max_result_chars: int | None = None
    answer_within_s: float | None = None

    @property
    def is_pattern(self) -> bool:
        """Whether it is for more than the one tool of its name."""
        return is_pattern(self.name)

    def fits(self, tool: str) -> bool:
        """Whether it says something of that tool."""
        return fnmatchcase(tool, self.name) if self.is_pattern else tool == self.name


def is_pattern(name: str) -> bool:
    """Whether it stands for many names."""
    return "*" in name or "?" in name


def rules_for(tool: str, rules: Iterable[ToolRule]) -> list[ToolRule]:
    """Those that say something of the tool, the most specific first.

    That is its own entry, then the pattern with the most characters of its own; of two alike the
    stricter one.
    """
    return sorted((rule for rule in rules if rule.fits(tool)), key=_order)


def listed_names(tools: Iterable[str], rules: Iterable[ToolRule]) -> frozenset[str]:
    """Those of the tools that are on the white list: they have an entry, or fit a pattern."""
    known = tuple(rules)
    return frozenset(tool for tool in tools if any(rule.fits(tool) for rule in known))


def _order(rule: ToolRule) -> tuple[bool, int, int]:
    own = sum(char not in "*?" for char in rule.name)
    return rule.is_pattern, -own, _STRICTNESS[rule.policy]
