"""Books what calls were measured to have used after their run was ended by another process."""

from __future__ import annotations

from uuid import UUID

import structlog

from callsheet.db.transaction import Database
from callsheet.journal.spool import Spool
from callsheet.kit.errors import AppError
from callsheet.ledger.late import correct_late
from callsheet.runs.states import ACTIVE
from callsheet.runs.store import run_by_id

log = structlog.get_logger(__name__)


async def book_late(database: Database, spool: Spool) -> None:
    """Correct what was settled by estimate while the measure lay in the spool.

    What cannot be booked is logged and left.
    """
    for run_id in await spool.runs():
        try:
            await _book(database, spool, run_id)
        except AppError:
            log.exception("late_usage_not_booked", run_id=str(run_id))
            return
        except Exception:  # border: one run's file is not the others' end
            log.exception("late_usage_refused", run_id=str(run_id))


async def _book(database: Database, spool: Spool, run_id: UUID) -> None:
    measured = tuple((await spool.of(run_id)).values())
    async with database.transaction() as tx:
        run = await run_by_id(tx, run_id)
        if run is None or run.status in ACTIVE:
            return
        corrected = await correct_late(tx, measured)
    await spool.drop(run_id)
    log.warning("late_usage_booked", run_id=str(run_id), corrected=corrected)
