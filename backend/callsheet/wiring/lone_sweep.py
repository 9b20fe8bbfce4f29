"""Ends model calls of no run whose process went away under them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

from callsheet.crew.title import MOST_OUTPUT_TOKENS, WITHIN_S
from callsheet.db.driver_pool import DriverPool
from callsheet.db.transaction import Database
from callsheet.journal.changes import RunKeys
from callsheet.journal.orphan import orphaned
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError
from callsheet.kit.ids import new_id
from callsheet.kit.log import get_log
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.ledger.opened import left_open, quote_then
from callsheet.ledger.price.store import load_price_table
from callsheet.wiring.lone_log import LoneLog

_EVERY_S: Final = 60.0
_LEFT_AFTER: Final = timedelta(seconds=5 * WITHIN_S)
"""By then whoever asked has given up for certain, and has ended the call if it lives."""

_log = get_log(__name__)


class LoneSweep:
    """Settles by estimate what has been open for longer than anybody asks."""

    def __init__(
        self, database: Database, driver: DriverPool, budgets: BudgetGuard, clock: Clock
    ) -> None:
        self._database = database
        self._driver = driver
        self._budgets = budgets
        self._clock = clock

    async def run(self) -> None:
        """Sweep every so often, until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_S)
            try:
                await self.sweep()
            except AppError as error:
                _log.warning("lone_calls_not_swept", error=str(error))

    async def sweep(self) -> int:
        """How many calls were ended. Two processes may do so at once: each call is settled once."""
        async with self._database.read() as tx:
            found = await left_open(tx, self._clock.now() - _LEFT_AFTER, MOST_OUTPUT_TOKENS)
            if not found:
                return 0
            table = await load_price_table(tx)
        for call in found:
            log = LoneLog(
                self._driver, self._budgets, RunKeys(new_id(), call.session_id, call.user_id)
            )
            log.append(orphaned(call.started, "", quote_then(call.started, table)))
            await log.stored()
            _log.warning("lone_call_ended", call_id=call.started.call_id)
        return len(found)
