"""The SQL of leases: who has a run, who has lost it, and how another process takes it."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import bindparam, text

from callsheet.db.states import one_of
from callsheet.db.transaction import Read, Tx
from callsheet.runs.active import is_active
from callsheet.runs.lease import Lease
from callsheet.runs.states import ACTIVE
from callsheet.runs.worker_locks import ALIVE

# What the journal writes of the run waits for this lock, and compares the epoch after it.
_LOCK = text("SELECT FROM runs WHERE id = :run_id FOR UPDATE")

_TAKE = text(f"""
UPDATE runs SET worker_id = :taker, lease_epoch = lease_epoch + 1, updated_at = now()
WHERE id = :run_id AND worker_id IS NOT DISTINCT FROM CAST(:worker_id AS text)
  AND lease_epoch = :epoch AND status IN ({one_of(ACTIVE)})
RETURNING lease_epoch
""")  # noqa: S608 - our own words, not values

_ABANDONED = text(f"""
SELECT r.id, r.worker_id, r.lease_epoch FROM runs r
WHERE {is_active("r")} AND r.worker_id <> :own
  AND NOT EXISTS (SELECT FROM workers w WHERE w.id = r.worker_id AND {ALIVE})
""")  # noqa: S608 - our own text, not a value

_OWN = text(f"""
SELECT r.id, r.worker_id, r.lease_epoch FROM runs r WHERE {is_active("r")} AND r.worker_id = :own
""")  # noqa: S608 - our own text, not a value

_FORGET = text(f"""
DELETE FROM workers w WHERE w.heartbeat_at < now() - interval '1 hour' AND NOT ({ALIVE})
""")  # noqa: S608 - our own text, not a value

_LEASE = text("SELECT worker_id, lease_epoch FROM runs WHERE id = :run_id")

_TAKEN = text(
    "SELECT id FROM runs WHERE id IN :run_ids AND worker_id IS DISTINCT FROM :own"
).bindparams(bindparam("run_ids", expanding=True))


async def take_over(tx: Tx, run_id: UUID, seen: Lease, taker: str) -> Lease | None:
    """Make the run the taker's, where it is still as it was `seen` and has not ended.

    Of several processes that have seen the same one gets it; whoever had it writes nothing more.
    """
    await tx.execute(_LOCK, {"run_id": run_id})
    values = {"run_id": run_id, "worker_id": seen.worker_id, "epoch": seen.epoch, "taker": taker}
    epoch = (await tx.execute(_TAKE, values)).scalar_one_or_none()
    return None if epoch is None else Lease(taker, epoch)


async def lease_of(tx: Read, run_id: UUID) -> Lease | None:
    """Who has the run now."""
    row = (await tx.execute(_LEASE, {"run_id": run_id})).first()
    return None if row is None else Lease(row.worker_id, row.lease_epoch)


async def abandoned_runs(tx: Read, own: str) -> list[tuple[UUID, Lease]]:
    """Active runs of dead workers; those that wait for a worker are not among them."""
    rows = await tx.execute(_ABANDONED, {"own": own})
    return [(row.id, Lease(row.worker_id, row.lease_epoch)) for row in rows]


async def forget_dead(tx: Tx) -> None:
    """Drop the rows of processes that are dead for an hour; until then people may ask about them.

    What they had belongs to others by then.
    """
    await tx.execute(_FORGET)


async def runs_of(tx: Read, own: str) -> list[tuple[UUID, Lease]]:
    """Active runs of the worker."""
    rows = await tx.execute(_OWN, {"own": own})
    return [(row.id, Lease(row.worker_id, row.lease_epoch)) for row in rows]


async def taken_from(tx: Read, own: str, run_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the runs that are not the worker's, or not any more."""
    return frozenset((await tx.execute(_TAKEN, {"run_ids": run_ids, "own": own})).scalars())
