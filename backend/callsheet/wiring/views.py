"""Views of runs that were let in before, in whichever process they are under way."""

from __future__ import annotations

from uuid import UUID

from callsheet.stream.replay import Batches, follow
from callsheet.wiring.core import Core
from callsheet.wiring.stored_journal import StoredJournal


async def look_on(core: Core, run_id: UUID) -> Batches:
    """The run's entries from its first on.

    Raises:
        Unavailable: the process is about to end, and the run's end may be long after.
    """
    if not core.jobs.has(run_id):
        core.jobs.refuse_at_end()
    return await follow(run_id, core.broker, StoredJournal(core.database), is_new=False)
