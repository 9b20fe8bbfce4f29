"""The SQL of runs that wait for a worker."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import bindparam, text

from callsheet.db.states import one_of
from callsheet.db.transaction import Read, Tx
from callsheet.runs.lease import Lease
from callsheet.runs.states import ACTIVE

_WAITS = f"worker_id IS NULL AND status IN ({one_of(ACTIVE)})"

_COUNT = text(f"SELECT count(*) FROM runs WHERE {_WAITS}")  # noqa: S608

_EXPIRED = text(f"""
SELECT id, lease_epoch FROM runs
WHERE {_WAITS} AND status = 'queued' AND expires_at <= now()
""")  # noqa: S608 - our own words, not values

# What an earlier worker still writes of a run that was handed back waits for the lock.
_LOCK = text("SELECT FROM runs WHERE id IN :run_ids ORDER BY id FOR UPDATE").bindparams(
    bindparam("run_ids", expanding=True)
)

_CLAIM = text(f"""
UPDATE runs SET worker_id = :worker_id, lease_epoch = lease_epoch + 1, updated_at = now()
WHERE id IN :run_ids AND {_WAITS} AND NOT behind
  AND (status <> 'queued' OR expires_at IS NULL OR expires_at > now())
RETURNING id, lease_epoch
""").bindparams(bindparam("run_ids", expanding=True))  # noqa: S608 - our own words, not values

_RELEASE = text(f"""
UPDATE runs SET worker_id = NULL, lease_epoch = lease_epoch + 1, updated_at = now(),
                take_overs = take_overs + :died
WHERE id = :run_id AND worker_id IS NOT DISTINCT FROM CAST(:worker_id AS text)
  AND lease_epoch = :epoch AND status IN ({one_of(ACTIVE)})
RETURNING priority
""")  # noqa: S608 - our own words, not values

_BEHIND = text(
    "SELECT id FROM runs WHERE session_id = :session_id AND behind AND status = 'queued'"
    " ORDER BY created_at DESC, id DESC"
)

_WITH_SOME_BEHIND = text("SELECT DISTINCT session_id FROM runs WHERE behind AND status = 'queued'")

_CALL_UP = text("SELECT call_up(ARRAY[CAST(:session_id AS uuid)])")

_TAKE_OVERS = text("SELECT take_overs FROM runs WHERE id = :run_id")

_LOCK_ONE = text("SELECT FROM runs WHERE id = :run_id FOR UPDATE")


async def count_waiting(tx: Read) -> int:
    """How many runs wait."""
    return int((await tx.execute(_COUNT)).scalar_one())


async def claim_runs(tx: Tx, run_ids: Sequence[UUID], worker_id: str) -> list[tuple[UUID, Lease]]:
    """Make those of the runs the worker's that still wait and have not expired."""
    await tx.execute(_LOCK, {"run_ids": run_ids})
    claimed = await tx.execute(_CLAIM, {"run_ids": run_ids, "worker_id": worker_id})
    epochs = {row.id: row.lease_epoch for row in claimed}
    return [(i, Lease(worker_id, epochs[i])) for i in run_ids if i in epochs]


async def release_run(tx: Tx, run_id: UUID, seen: Lease, *, died: bool) -> int | None:
    """Let the run wait for another worker, where it is still as it was `seen`; its priority.

    `died`: its worker is dead, which is counted. Who had it writes nothing more.
    """
    await tx.execute(_LOCK_ONE, {"run_id": run_id})
    values = {"run_id": run_id, "worker_id": seen.worker_id, "epoch": seen.epoch}
    released = await tx.execute(_RELEASE, {**values, "died": int(died)})
    priority: int | None = released.scalar_one_or_none()
    return priority


async def runs_behind(tx: Read, session_id: UUID) -> list[UUID]:
    """Runs that wait for the end of the session's active run, the last one first."""
    return list((await tx.execute(_BEHIND, {"session_id": session_id})).scalars())


async def sessions_with_some_behind(tx: Read) -> list[UUID]:
    """Sessions in which runs wait for the active one to end."""
    return list((await tx.execute(_WITH_SOME_BEHIND)).scalars())


async def call_up_next(tx: Tx, session_id: UUID) -> None:
    """Let the next of them begin where nothing is active any more; the session's row is held."""
    await tx.execute(_CALL_UP, {"session_id": session_id})


async def take_overs_of(tx: Read, run_id: UUID) -> int:
    """How many workers have died with the run."""
    found = await tx.execute(_TAKE_OVERS, {"run_id": run_id})
    return int(found.scalar_one_or_none() or 0)


async def expired_runs(tx: Read) -> list[tuple[UUID, Lease]]:
    """Runs that have waited for longer than they may, and have not begun."""
    return [(row.id, Lease(None, row.lease_epoch)) for row in await tx.execute(_EXPIRED)]
