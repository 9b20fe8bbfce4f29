"""Books model calls that belong to no run: in the ledger as any other, on no message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from callsheet.db.driver_pool import DriverPool
from callsheet.events.entry import Entry
from callsheet.events.union import AnyRunEvent
from callsheet.journal.changes import Changes, RunKeys
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.ledger.journal_store import lock_counters, open_calls, settle_calls
from callsheet.sessions.journal_store import lock_sessions

_NEVER: Final = datetime.fromtimestamp(0, UTC)


class LoneLog:
    """Implements `turn.ports.RunLog` for one thing that is asked beside the runs of a session.

    What begins and ends of calls is written at `stored`; everything else is nobody's.
    """

    def __init__(self, driver: DriverPool, budgets: BudgetGuard, keys: RunKeys) -> None:
        self._driver = driver
        self._budgets = budgets
        self._keys = keys
        self._pending = Changes()
        self._refusals: dict[str, Refusal] = {}

    def append(self, event: AnyRunEvent) -> Entry:
        """Keep it until it is stored."""
        self._pending.take(self._keys, event)
        return Entry(0, _NEVER, event)

    def emit(self, event: AnyRunEvent) -> None:
        """The same, for who does not number events."""
        self._pending.take(self._keys, event)

    async def stored(self) -> None:
        """Write what is kept, in one transaction; Unavailable where that cannot be done."""
        changes = self._pending
        if not (changes.opened_calls or changes.settled_calls):
            return
        opened = [replace(c, run_id=None, message_id=None) for c in changes.opened_calls]
        settled = [replace(c, message_id=None) for c in changes.settled_calls]
        async with self._driver.transaction() as tx:
            await lock_sessions(tx, [self._keys.session_id])
            await lock_counters(tx)
            refusals: Mapping[str, Refusal] = {}
            if opened and self._budgets.applies(opened):
                refusals = await self._budgets.refuse(tx, opened)
            let_in = [call for call in opened if call.id not in refusals]
            if let_in:
                await open_calls(tx, let_in, self._budgets.zone)
            if settled:
                await settle_calls(tx, settled, self._budgets.zone)
        self._refusals.update(refusals)
        self._pending = Changes()

    def refusal(self, call_id: str) -> Refusal | None:
        """Why a call may not begin."""
        return self._refusals.get(call_id)

    def message_seq(self, message_id: str) -> int:
        """There is no message."""
        del message_id
        return 0
