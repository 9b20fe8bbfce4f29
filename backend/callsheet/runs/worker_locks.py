"""Tells living worker processes from dead ones.

Each worker holds an advisory lock for as long as its connection lives; the database frees it
when the process is gone, however it went. A process that hangs, or was frozen, keeps its lock: so
each also says every so often that it is there, and is dead when it was not heard of for its lease.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Final, Literal, Self

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from callsheet.db.transaction import Database, Read
from callsheet.kit.errors import AppError, Unavailable

WorkerKind = Literal["serve", "api", "worker", "command"]

_SPACE = 0x43535754
_ZONES = 0x43535A4E

_HERE = (
    "locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

OTHER_ZONES = f"""
SELECT EXISTS (SELECT FROM pg_locks WHERE {_HERE}
               AND classid = {_ZONES}::oid AND objid <> $1::oid)
"""  # noqa: S608 - our own number, not a value
"""Whether a living process counts days in another zone than the one of the number `$1`."""

ALIVE: Final = f"""
w.heartbeat_at + make_interval(secs => w.lease_ms / 1000.0) > now()
AND EXISTS (SELECT FROM pg_locks WHERE {_HERE} AND classid = {_SPACE}::oid
            AND objid = (w.lock_key::bigint & 4294967295)::oid)
"""
"""Whether the worker of the row `w` is alive."""

_COUNT = text(f"SELECT count(*) FROM workers w WHERE {ALIVE}")  # noqa: S608
_WORKERS = text(
    f"SELECT count(*) FROM workers w WHERE w.kind IN ('serve', 'worker') AND {ALIVE}"  # noqa: S608
)
_IS_ALIVE = text(f"SELECT EXISTS (SELECT FROM workers w WHERE w.id = :id AND {ALIVE})")  # noqa: S608
_LOCK = text("SELECT pg_advisory_lock(:space, :key)")
_LOCK_ZONE = text("SELECT pg_advisory_lock_shared(:space, :key)")
_BEAT = text("""
INSERT INTO workers (id, kind, lock_key, lease_ms) VALUES (:id, :kind, :lock_key, :lease_ms)
ON CONFLICT (id) DO UPDATE SET heartbeat_at = now(), draining = :draining
""")
_GONE = text("DELETE FROM workers WHERE id = :id")


def lock_key(worker_id: str) -> int:
    """The lock's number: 32 bits of the worker's name."""
    return int.from_bytes(hashlib.sha256(worker_id.encode()).digest()[:4], signed=True)


class WorkerLock:
    """`async with`: this process is alive as `worker_id`, and counts days in `zone`; "": in none.

    The lock goes with its connection: `lost` returns when that is gone, `take` takes it anew.
    Without a `beat` for `lease_s` seconds the process is taken for dead all the same.
    """

    def __init__(
        self,
        database: Database,
        worker_id: str,
        zone: str = "",
        *,
        kind: WorkerKind = "serve",
        lease_s: float = 30.0,
    ) -> None:
        self._database = database
        self._worker_id = worker_id
        self._zone = zone
        self._kind = kind
        self._lease_s = lease_s
        self._holding = AsyncExitStack()
        self._connection: AsyncConnection | None = None
        self._one_at_a_time = asyncio.Lock()
        self._gone = asyncio.Event()

    async def __aenter__(self) -> Self:
        try:
            await self.take()
        except BaseException:
            await self._holding.aclose()  # the block is not entered, so nobody leaves it
            raise
        return self

    async def take(self) -> None:
        """Hold the lock on a new connection; Unavailable where there can be none."""
        key = lock_key(self._worker_id)
        async with self._one_at_a_time:
            self._connection = None
            await self._holding.aclose()
            gone = self._gone = asyncio.Event()
            connection = await self._holding.enter_async_context(self._database.held(gone.set))
            await connection.execute(_LOCK, {"space": _SPACE, "key": key})
            if self._zone:
                values = {"space": _ZONES, "key": lock_key(self._zone)}
                await connection.execute(_LOCK_ZONE, values)
            await self._say(connection, draining=False)
            self._connection = connection

    async def beat(self, *, draining: bool = False) -> None:
        """Say that this process is there, and whether it is about to end.

        Raises:
            Unavailable: the lock's connection is gone.
        """
        async with self._one_at_a_time:
            if self._connection is None:
                raise _away()
            try:
                await self._say(self._connection, draining=draining)
            except SQLAlchemyError as error:
                raise _away() from error

    async def _say(self, connection: AsyncConnection, *, draining: bool) -> None:
        await connection.execute(
            _BEAT,
            {
                "id": self._worker_id,
                "kind": self._kind,
                "lock_key": lock_key(self._worker_id),
                "lease_ms": round(self._lease_s * 1000),
                "draining": draining,
            },
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
        # Where it cannot be done the row stays, and is that of a dead process.
        with suppress(AppError, SQLAlchemyError):
            async with self._database.transaction() as tx:  # a beat may have been cut on the other
                await tx.execute(_GONE, {"id": self._worker_id})
        await self._holding.aclose()


async def count_alive(tx: Read) -> int:
    """How many processes are alive now."""
    return int((await tx.execute(_COUNT)).scalar_one())


async def count_workers(tx: Read) -> int:
    """How many processes that take runs are alive now."""
    return int((await tx.execute(_WORKERS)).scalar_one())


def zone_number(zone: str) -> int:
    """What `OTHER_ZONES` is asked with."""
    return lock_key(zone) & 0xFFFF_FFFF


async def is_alive(tx: Read, worker_id: str | None) -> bool:
    """Whether that worker is there; nobody is not."""
    if worker_id is None:
        return False
    return bool((await tx.execute(_IS_ALIVE, {"id": worker_id})).scalar_one())


def _away() -> Unavailable:
    return Unavailable("The database does not answer.", service="database")
