"""Views of runs that were let in before, in whichever process they are under way."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.stream.replay import follow
from callsheet.wiring.core import Core
from callsheet.wiring.stored_journal import StoredJournal

_LOOK_AGAIN_S: Final = 0.5


async def look_on(core: Core, run_id: UUID) -> AsyncGenerator[tuple[Entry, ...], None]:
    """The run's entries from its first on. One that is not under way here is read again and again.

    Raises:
        Unavailable: the process is about to end, and the run's end may be long after.
    """
    look_again_s: float | None = None
    if not core.jobs.has(run_id):
        core.jobs.refuse_at_end()
        look_again_s = _LOOK_AGAIN_S
    return await follow(
        run_id, core.broker, StoredJournal(core), is_new=False, look_again_s=look_again_s
    )
