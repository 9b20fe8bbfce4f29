"""Several statements in one round trip: they are joined to one function of the connection's own.

A round trip costs more than most statements do, and a journal's commit has up to nine of them.
The first time a combination of statements is run on a connection, a temporary function is made
of them; each further time is one call, which is a transaction of its own. Inside, each statement
sees what is committed when it begins, as statements of a transaction do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeAlias

import asyncpg

_PARAMETER: Final = re.compile(r"\$(\d+)(?:::([a-z_]+(?:\[\])?))?")

Calls: TypeAlias = dict[tuple[str, ...], str]
"""The call of each function that a connection has, by the statements that it is made of."""


class Statements(Protocol):
    """What takes statements: a connection, which runs them now, or `Joined`, which collects."""

    async def execute(self, query: str, *args: Any) -> Any:
        """Run, or collect, a statement whose rows nobody wants."""
        ...


class Joined:
    """Statements in the order in which they were given; `run` runs them, all or none.

    Each parameter has to say its type where it first stands (`$1::uuid[]`), because the function
    declares it.
    """

    def __init__(self, connection: asyncpg.Connection[asyncpg.Record], calls: Calls) -> None:
        self._connection = connection
        self._calls = calls
        self._queries: list[str] = []
        self._args: list[Any] = []

    async def execute(self, query: str, *args: Any) -> None:
        """Collect a statement."""
        self._queries.append(query)
        self._args += args

    def give(self, query: str, *args: Any) -> None:
        """Collect the last statement: a SELECT of one JSON value, which `run` returns."""
        self._queries.append(f"RETURN ({query})")
        self._args += args

    async def run(self) -> str | None:
        """Run what was collected, in one transaction; the JSON of `give`'s value."""
        key = tuple(self._queries)
        call = self._calls.get(key)
        if call is None:
            name = f"pg_temp.joined_{len(self._calls)}"
            body, types = _joined(key)
            await self._connection.execute(
                f"CREATE FUNCTION {name}({', '.join(types)}) RETURNS jsonb LANGUAGE plpgsql "
                f"AS $joined$ BEGIN\n{body}\nRETURN NULL;\nEND $joined$"
            )
            places = ", ".join(f"${number}" for number in range(1, len(types) + 1))
            call = self._calls[key] = f"SELECT {name}({places})"
        value: str | None = await self._connection.fetchval(call, *self._args)
        return value


def _joined(queries: Sequence[str]) -> tuple[str, list[str]]:
    """The body of the function, and the types of its parameters: those of all, in order."""
    bodies: list[str] = []
    types: list[str] = []
    for query in queries:
        text = query.strip()
        if text.startswith("SELECT"):
            text = "PERFORM" + text.removeprefix("SELECT")
        own: dict[int, str] = {}
        for number, kind in _PARAMETER.findall(text):
            if kind:
                own.setdefault(int(number), kind)
        bodies.append(f"{_renumbered(text, len(types))};")
        types += [own[number] for number in range(1, len(own) + 1)]
    return "\n".join(bodies), types


def _renumbered(text: str, before: int) -> str:
    def moved(found: re.Match[str]) -> str:
        cast = f"::{found[2]}" if found[2] else ""
        return f"${int(found[1]) + before}{cast}"

    return _PARAMETER.sub(moved, text)
