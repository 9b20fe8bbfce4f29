"""Which tools there are, by name."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from callsheet.kit.errors import SetupError
from callsheet.tools.facts import Origin, ToolFacts
from callsheet.tools.judge import Entry, judged
from callsheet.tools.problem import ToolProblem
from callsheet.tools.tool import Tool

_log = structlog.get_logger(__name__)
_NO_ANSWER: Final = "it does not say whether it can be used now"


@dataclass(frozen=True, slots=True)
class _Brought:
    """All that one owner brings, good or not, in its order."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[ToolProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class _View:
    """What readers see: never changed, only replaced as a whole."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    problems: tuple[ToolProblem, ...] = ()


class ToolRegistry:
    """Tools by name, each with the one who brought it and the schema that a model sees.

    Where two owners bring one name, the one who came first keeps it. That, and whatever cannot be
    used, is a problem and takes nothing else away: who makes a registry decides what comes of
    problems. Reading is safe in any thread while tools are taken in.
    """

    def __init__(self) -> None:
        self._brought: dict[str, _Brought] = {}
        self._view = _View()
        self._changing = threading.Lock()  # guards `_brought` and the making of a view

    def add(
        self, tools: Iterable[Tool], *, owner: str, origin: Origin = "python"
    ) -> Sequence[ToolProblem]:
        """Take in `tools` beside what `owner` (a package, a plugin) brings already.

        Returns what is wrong with them: names that are taken or illegal, arguments without a
        usable schema.
        """
        with self._changing:
            before = self._brought.get(owner, _Brought())
            return self._set(owner, _with(before, tools, owner, origin))

    def replace(
        self, owner: str, tools: Iterable[Tool], *, origin: Origin = "mcp"
    ) -> Sequence[ToolProblem]:
        """Have `owner` bring these and no others, at once for every reader; as `add` otherwise.

        Its place among the owners stays the one that it had.
        """
        with self._changing:
            return self._set(owner, _with(_Brought(), tools, owner, origin))

    def report(self, problem: ToolProblem) -> None:
        """Keep a problem of somebody who could not bring what they should."""
        with self._changing:
            before = self._brought.get(problem.owner, _Brought())
            problems = (*before.problems, problem)
            self._set(problem.owner, _Brought(before.entries, problems))

    def find(self, name: str) -> Tool | None:
        """The tool of that name, if there is one."""
        entry = self._view.entries.get(name)
        return None if entry is None else entry.tool

    def facts(self, name: str) -> ToolFacts:
        """What is known of the tool; raises KeyError where there is none of that name."""
        return self._view.entries[name].facts

    def unavailable(self, name: str) -> str | None:
        """Why a tool cannot be used now; None where it can."""
        entry = self._view.entries.get(name)
        if entry is None:
            return self.absent().get(name, "there is no such tool")
        asked = getattr(entry.tool, "unavailable", None)
        if asked is None:
            return None
        try:
            why = asked()
        except Exception:  # noqa: BLE001 - the border: somebody else's code, asked in every turn
            _log.exception("tool_unavailable_failed", tool=name, owner=entry.facts.owner)
            return _NO_ANSWER
        return None if why is None else str(why)

    def names(self) -> frozenset[str]:
        """Every name there is."""
        return frozenset(self._view.entries)

    def problems(self) -> Sequence[ToolProblem]:
        """All that is wrong with what was brought, in the order of their owners."""
        return self._view.problems

    def absent(self) -> Mapping[str, str]:
        """Names of tools that should be here and are not, each with why."""
        view = self._view
        return {
            each.tool: each.message
            for each in view.problems
            if each.tool is not None and each.tool not in view.entries
        }

    def schemas(self, names: Iterable[str]) -> tuple[Mapping[str, Any], ...]:
        """The entries of a chat request's `tools` for these names, in their order.

        Raises:
            KeyError: one of them is not here.
        """
        entries = self._view.entries
        return tuple(entries[name].schema for name in names)

    def _set(self, owner: str, brought: _Brought) -> Sequence[ToolProblem]:
        """Show a view with that; what is new among its problems."""
        known = set(self._view.problems)
        self._brought[owner] = brought
        self._view = _view_of(self._brought)
        return [problem for problem in self._view.problems if problem not in known]


def _with(before: _Brought, tools: Iterable[Tool], owner: str, origin: Origin) -> _Brought:
    entries, problems = list(before.entries), list(before.problems)
    for tool in tools:
        try:
            entries.append(judged(tool, owner=owner, origin=origin))
        except SetupError as error:
            problems.append(ToolProblem(owner, str(error), _name_of(tool)))
        except Exception as error:  # noqa: BLE001 - the border: somebody else's code
            message = f"A tool of {owner} cannot be read: {type(error).__name__}: {error}"
            problems.append(ToolProblem(owner, message))
    return _Brought(tuple(entries), tuple(problems))


def _name_of(tool: Tool) -> str | None:
    name: object = tool.name
    return name if isinstance(name, str) else None


def _view_of(brought: Mapping[str, _Brought]) -> _View:
    entries: dict[str, Entry] = {}
    problems: list[ToolProblem] = []
    for owner, each in brought.items():
        problems += each.problems
        for entry in each.entries:
            first = entries.setdefault(entry.facts.name, entry)
            if first is not entry:
                problems.append(_taken(entry.facts.name, first.facts.owner, owner))
    return _View(entries, tuple(problems))


def _taken(name: str, first: str, second: str) -> ToolProblem:
    who = f"both {first} and {second}" if first != second else f"{first} twice"
    message = f"The tool {name!r} is brought by {who}; the first one is used, rename the other."
    return ToolProblem(second, message, name)
