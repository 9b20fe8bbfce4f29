"""State tables in SQL, so that the database itself refuses a change that is not allowed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from callsheet.kit.states import StateTable


def one_of(states: Iterable[str]) -> str:
    """For `status IN (...)`."""
    return ", ".join(f"'{state}'" for state in states)


def allowed(table: StateTable[Any], before: str, after: str) -> str:
    """A condition on two expressions of text: the change is in the table."""
    pairs = ", ".join(f"('{one}', '{other}')" for one, other in table)
    return f"({before}, {after}) IN ({pairs})"
