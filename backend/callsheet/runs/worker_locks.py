"""Tells living worker processes from dead ones.

Each worker holds an advisory lock for as long as its connection lives; the database frees it
when the process is gone, however it went. So a run whose worker's lock is free has nobody.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from sqlalchemy import text

from callsheet.db.transaction import Database, Read

_SPACE = 0x43535754
_ZONES = 0x43535A4E

OTHER_ZONES = f"""
SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND classid = {_ZONES}::oid AND objid <> $1::oid)
"""  # noqa: S608 - our own number, not a value
"""Whether a living process counts days in another zone than the one of the number `$1`."""


def lock_key(worker_id: str) -> int:
    """The lock's number: 32 bits of the worker's name."""
    return int.from_bytes(hashlib.sha256(worker_id.encode()).digest()[:4], signed=True)


class WorkerLock:
    """`async with`: this process is alive as `worker_id`, and counts days in `zone`; "": in none.

    The lock goes with its connection: `lost` returns when that is gone, `take` takes it anew.
    """

    def __init__(self, database: Database, worker_id: str, zone: str = "") -> None:
        self._database = database
        self._worker_id = worker_id
        self._zone = zone
        self._holding = AsyncExitStack()
        self._gone = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self.take()
        return self

    async def take(self) -> None:
        """Hold the lock on a new connection; Unavailable where there can be none."""
        await self._holding.aclose()
        gone = self._gone = asyncio.Event()
        connection = await self._holding.enter_async_context(self._database.held(gone.set))
        await connection.execute(
            text("SELECT pg_advisory_lock(:space, :key)"),
            {"space": _SPACE, "key": lock_key(self._worker_id)},
        )
        if self._zone:
            await connection.execute(
                text("SELECT pg_advisory_lock_shared(:space, :key)"),
                {"space": _ZONES, "key": lock_key(self._zone)},
            )

    async def lost(self) -> None:
        """Return when the lock is held no more."""
        await self._gone.wait()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._holding.aclose()


async def count_alive(tx: Read) -> int:
    """How many worker processes hold their locks now."""
    row = await tx.execute(
        text(
            "SELECT count(DISTINCT objid) FROM pg_locks WHERE locktype = 'advisory'"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = CAST(:space AS oid) AND granted"
        ),
        {"space": _SPACE},
    )
    return int(row.scalar_one())


def zone_number(zone: str) -> int:
    """What `OTHER_ZONES` is asked with."""
    return lock_key(zone) & 0xFFFF_FFFF


async def is_alive(tx: Read, worker_id: str | None) -> bool:
    """Whether some process holds that worker's lock."""
    if worker_id is None:
        return False
    row = await tx.execute(
        text(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = CAST(:space AS oid) AND objid = CAST(:key AS oid) AND granted)"
        ),
        {"space": _SPACE, "key": lock_key(worker_id) & 0xFFFF_FFFF},
    )
    return bool(row.scalar_one())
