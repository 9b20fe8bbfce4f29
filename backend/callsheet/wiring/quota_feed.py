"""Keeps the limits in memory like those in the database, whoever changes them."""

from __future__ import annotations

import asyncio
from typing import Final

from callsheet.db.transaction import Database
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.ledger.budget.counters import ensure_counters
from callsheet.ledger.budget.quota_store import quota_version, stored_quotas
from callsheet.ledger.budget.quotas import Quotas
from callsheet.runs.worker_locks import OTHER_ZONES, zone_number

EVERY_S: Final = 4.0
"""A change is known in every process within 10 s."""

_log = get_log(__name__)


class QuotaFeed:
    """Looks for changed limits of users every few seconds, and at once when it is asked to."""

    def __init__(
        self, database: Database, quotas: Quotas, clock: Clock, every_s: float = EVERY_S
    ) -> None:
        self._database = database
        self._quotas = quotas
        self._clock = clock
        self._every_s = every_s
        self._version = ""
        self._one_at_a_time = asyncio.Lock()  # an older look must not end after a newer one

    async def begin(self) -> None:
        """Before the first turn: counters that count every call, and the limits of users.

        Two processes with two zones would keep two sets of counters: that is told in the log.
        """
        zone = self._quotas.zone.key
        async with self._database.read() as tx:
            asked = await tx.exec_driver_sql(OTHER_ZONES, (zone_number(zone),))
            if asked.scalar_one():
                _log.warning("zones_differ", zone=zone, detail="another process has another one")
        await ensure_counters(self._database, self._quotas.zone, self._clock.now())
        await self.refresh()

    async def refresh(self) -> bool:
        """Take in what changed; whether anything did."""
        async with self._one_at_a_time:
            async with self._database.read() as tx:
                version = await quota_version(tx)
                if version == self._version:
                    return False
                stored = await stored_quotas(tx)
            self._quotas.replace(stored)
            self._version = version
            return True

    async def run(self) -> None:
        """Look until cancelled; while the database is away the last limits hold."""
        while True:
            await asyncio.sleep(self._every_s)
            try:
                if await self.refresh():
                    _log.info("quotas_changed")
            except AppError as error:
                _log.warning("quotas_not_read", error=str(error))
