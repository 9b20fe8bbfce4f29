"""Keeps the journals of ended runs small; removes them, and todo lists, in their time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from callsheet.db.transaction import Database, Tx
from callsheet.interrupts.upkeep_store import forget_words
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.runs.upkeep_store import (
    forget_deleted,
    forget_some,
    is_alone,
    next_whole,
    pack_journal,
)
from callsheet.todos.store import forget_lists

EVERY_S: Final = 600.0
_FORGET_AT_ONCE: Final = 20
_DELETED_AFTER_DAYS: Final = 1.0
"""A session that was deleted by mistake may be had back from a backup, or by an operator's hand."""
_PAUSE_S: Final = 0.02
"""Between two transactions, for whoever has more urgent work."""

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class UpkeepOptions:
    """How long after its run's end a journal is packed, and removed; 0: never."""

    pack_after_days: float = 1.0
    keep_days: float = 30.0


class Upkeep:
    """One process at a time does it: the others find the lock taken, and look again later."""

    def __init__(
        self, database: Database, clock: Clock, options: UpkeepOptions, every_s: float = EVERY_S
    ) -> None:
        self._database = database
        self._clock = clock
        self._options = options
        self._every_s = every_s
        self._unpackable: set[UUID] = set()

    async def run(self) -> None:
        """Look now and then, until cancelled; a fresh process has more urgent things to do."""
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.sweep()
            except AppError as error:
                _log.warning("journals_not_kept", error=str(error))

    async def sweep(self) -> None:
        """Remove what is too old, then pack what is old enough, until there is no more of it."""
        keep, pack = self._options.keep_days, self._options.pack_after_days
        forgotten = await self._all(self._forget, keep) if keep else 0
        forgotten += await self._all(self._forget_deleted, _DELETED_AFTER_DAYS)
        await self._all(self._forget_lists, _DELETED_AFTER_DAYS)
        packed = await self._pack_all(pack) if pack else 0
        if forgotten or packed:
            _log.info("journals_kept_up", removed=forgotten, packed=packed)

    async def _all(self, work: Callable[[Tx, datetime], Awaitable[int]], days: float) -> int:
        before = self._clock.now() - timedelta(days=days)
        done = 0
        while True:
            async with self._database.transaction() as tx:
                now = await work(tx, before) if await is_alone(tx) else 0
            if not now:
                return done
            done += now
            await asyncio.sleep(_PAUSE_S)

    @staticmethod
    async def _forget(tx: Tx, before: datetime) -> int:
        forgotten = await forget_some(tx, before, _FORGET_AT_ONCE)
        if forgotten:
            await forget_words(tx)
        return forgotten

    @staticmethod
    async def _forget_deleted(tx: Tx, before: datetime) -> int:
        forgotten = await forget_deleted(tx, before, _FORGET_AT_ONCE)
        if forgotten:
            await forget_words(tx)
        return forgotten

    @staticmethod
    async def _forget_lists(tx: Tx, before: datetime) -> int:
        return await forget_lists(tx, before, _FORGET_AT_ONCE)

    async def _pack_all(self, days: float) -> int:
        """Pack run by run; one that cannot be packed is left as it is and holds up no other."""
        before = self._clock.now() - timedelta(days=days)
        done = 0
        while True:
            run_id: UUID | None = None
            try:
                async with self._database.transaction() as tx:
                    if await is_alone(tx):
                        run_id = await next_whole(tx, before, self._unpackable)
                    if run_id is None:
                        return done
                    await pack_journal(tx, run_id)
            except AppError:
                raise
            except Exception:  # border: what is wrong with one journal is not the others' fault
                if run_id is None:
                    raise
                _log.exception("journal_not_packed", run_id=str(run_id))
                self._unpackable.add(run_id)
                continue
            done += 1
            await asyncio.sleep(_PAUSE_S)
