"""Tells living worker processes from dead ones.

Each worker holds an advisory lock for as long as its connection lives; the database frees it
when the process is gone, however it went. So a run whose worker's lock is free has nobody.
"""

from __future__ import annotations

import hashlib
from types import TracebackType
from typing import Self

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from callsheet.db.transaction import Database, Read

_SPACE = 0x43535754


def lock_key(worker_id: str) -> int:
    """The lock's number: 32 bits of the worker's name."""
    return int.from_bytes(hashlib.sha256(worker_id.encode()).digest()[:4], signed=True)


class WorkerLock:
    """`async with`: this process is alive as `worker_id`."""

    def __init__(self, database: Database, worker_id: str) -> None:
        self._database = database
        self._worker_id = worker_id
        self._connection: AsyncConnection | None = None

    async def __aenter__(self) -> Self:
        connection = await self._database.engine.connect()
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(
            text("SELECT pg_advisory_lock(:space, :key)"),
            {"space": _SPACE, "key": lock_key(self._worker_id)},
        )
        self._connection = connection
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.invalidate()
            await connection.close()


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
