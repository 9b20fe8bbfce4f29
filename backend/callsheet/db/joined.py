"""Several statements in one round trip: they are joined to one function of the connection's own.

A round trip costs more than most statements do, and a journal's commit has up to nine of them.
The first time a combination of statements is run on a connection, a temporary function is made
of them; each further time is one call, which is a transaction of its own.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final, Protocol

import asyncpg

_PARAMETER: Final = re.compile(r"\$(\d+)(?:::([a-z_]+(?:\[\])?))?")


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

    def __init__(self, connection: asyncpg.Connection[asyncpg.Record], known: set[str]) -> None:
        self._connection = connection
        self._known = known
        self._bodies: list[str] = []
        self._types: list[str] = []
        self._args: list[Any] = []

    async def execute(self, query: str, *args: Any) -> None:
        """Collect a statement."""
        text = self._renumbered(query.strip(), args)
        if text.startswith("SELECT"):
            text = "PERFORM" + text.removeprefix("SELECT")
        self._bodies.append(f"{text};")

    def give(self, query: str, *args: Any) -> None:
        """Collect the last statement: a SELECT of one value, as JSON, that `run` returns."""
        self._bodies.append(f"RETURN ({self._renumbered(query.strip(), args)});")

    async def run(self) -> str | None:
        """Run what was collected, in one transaction; the JSON of `give`'s value."""
        body = "\n".join(self._bodies)
        name = f"pg_temp.joined_{hashlib.sha256(body.encode()).hexdigest()[:24]}"
        if name not in self._known:
            await self._connection.execute(
                f"CREATE OR REPLACE FUNCTION {name}({', '.join(self._types)}) RETURNS jsonb "
                f"LANGUAGE plpgsql AS $joined$ BEGIN\n{body}\nRETURN NULL;\nEND $joined$"
            )
            self._known.add(name)
        places = ", ".join(f"${number}" for number in range(1, len(self._args) + 1))
        value: str | None = await self._connection.fetchval(f"SELECT {name}({places})", *self._args)
        return value

    def _renumbered(self, query: str, args: tuple[Any, ...]) -> str:
        first = len(self._types)
        types: dict[int, str] = {}
        for number, kind in _PARAMETER.findall(query):
            if kind:
                types.setdefault(int(number), kind)
        self._types += [types[number] for number in range(1, len(args) + 1)]
        self._args += args
        return _PARAMETER.sub(lambda found: _moved(found, first), query)


def _moved(found: re.Match[str], first: int) -> str:
    cast = f"::{found[2]}" if found[2] else ""
    return f"${int(found[1]) + first}{cast}"
