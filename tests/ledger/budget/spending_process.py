"""A process that spends what is in the database's sessions.

    python -m tests.ledger.budget.spending_process DATABASE_URL SEED ROUNDS [hang]

Prints `refused <n>` at its end. With `hang` it opens a call of every user first, prints `open`,
and waits to be killed.
"""

from __future__ import annotations

import asyncio
import sys

from callsheet.auth.principal import principal_named
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.ledger.budget.spending import Spot, quotas_of, some, spend, spender
from tests.sessions.rows import rows

QUOTAS = quotas_of(
    {"deployment_day": some(tokens=8_000)},
    ada={"user_day": some(tokens=1000, cost="0.0009", calls=30)},
)


async def main(url: str, seed: int, rounds: int, *, hang: bool) -> None:
    database = Database.from_options(DatabaseOptions(url, pool_size=1))
    found = await rows(
        database,
        "SELECT u.name, r.session_id, r.id FROM runs r JOIN users u ON u.id = r.user_id "
        "ORDER BY r.id",
    )
    spots = [Spot(principal_named(name), session, run) for name, session, run in found]
    async with spender(database, url, QUOTAS) as one:
        if hang:
            await one.open(*[one.call(at, 90) for at in spots])
            say("open")
            await asyncio.Event().wait()
        say(f"refused {await spend(one, spots, seed, rounds)}")
    await database.close()


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), hang="hang" in sys.argv))
