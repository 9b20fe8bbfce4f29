"""Processes with limits before their gates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import pytest

from callsheet.admission.admitted import AdmissionRequest
from callsheet.admission.limits import TurnLimits
from callsheet.auth.principal import Principal, principal_named
from callsheet.db.driver_pool import DriverPool
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import Refused
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.quotas import Quotas
from callsheet.ledger.rate.rates import UserRate
from tests.fakes.clock import HandClock
from tests.journal.stage import gate, remember, wish
from tests.ledger.budget.spending import quotas_of
from tests.sessions.rows import change, rows

ADA, EVE = principal_named("ada"), principal_named("eve")


class Door:
    """One process's limits before its gate."""

    def __init__(
        self, database: Database, url: str, clock: HandClock, quotas: Quotas, rate: UserRate
    ) -> None:
        self._database = database
        self.pool = DriverPool(DatabaseOptions(url), size=2)
        self.limits = TurnLimits(self.pool, quotas, rate, clock, "USD")

    async def enter(self, user: Principal, request: AdmissionRequest | None = None) -> UUID:
        """Let a turn in; its run."""
        request = request or wish(new_id(), user=user)
        async with self.limits.let_in(request):
            return (await gate(self._database).admit(request)).run_id

    async def refused(self, user: Principal) -> Refused:
        """The reason why a turn is not let in."""
        with pytest.raises(Refused) as caught:
            await self.enter(user)
        return caught.value


@asynccontextmanager
async def doors(
    database: Database,
    url: str,
    clock: HandClock,
    *,
    quotas: Quotas | None = None,
    rate: UserRate = UserRate(),  # noqa: B008 - frozen
    number: int = 1,
) -> AsyncIterator[list[Door]]:
    for user in (ADA, EVE):
        await remember(database, user)
    made = [Door(database, url, clock, quotas or quotas_of({}), rate) for _ in range(number)]
    try:
        yield made
    finally:
        for door in made:
            await door.pool.close()


async def end(database: Database, run_id: UUID, status: str, clock: HandClock) -> None:
    await change(
        database,
        "UPDATE runs SET status = :status, finished_at = :at WHERE id = :id",
        status=status, id=run_id, at=clock.now(),
    )  # fmt: skip


async def refusals(database: Database) -> list[tuple[Any, ...]]:
    return await rows(database, "SELECT code, scope, detail FROM usage_refusals ORDER BY at")
