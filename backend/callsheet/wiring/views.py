"""Views of runs that were let in before, in whichever process they are under way."""

from __future__ import annotations

from uuid import UUID

from callsheet.runs.event_store import last_seq_of_ended
from callsheet.stream.replay import Batches, follow, stored
from callsheet.wiring.core import Core
from callsheet.wiring.stored_journal import StoredJournal


async def look_on(core: Core, run_id: UUID) -> Batches:
    """The run's entries from its first on.

    Raises:
        JournalGone: the run has ended, and its events are no longer kept.
        Unavailable: the process is about to end, and the run's end may be long after.
    """
    if await last_seq(core, run_id) is not None:
        return stored(run_id, StoredJournal(core.database))
    if not core.jobs.has(run_id):
        core.jobs.refuse_at_end()
    return await follow(run_id, core.broker, StoredJournal(core.database), is_new=False)


async def last_seq(core: Core, run_id: UUID) -> int | None:
    """The seq of the run's last entry where it has ended; JournalGone where that is not kept."""
    if core.jobs.has(run_id):
        return None
    async with core.database.read() as tx:
        return await last_seq_of_ended(tx, run_id)
