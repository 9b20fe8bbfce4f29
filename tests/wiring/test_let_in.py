"""A run that was let in and could not be begun holds nothing: neither its session nor a place."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.exc import ProgrammingError

from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import change, rows
from tests.wiring.stage import USER, all_of, application, begin, settings_of

AWAY = "ALTER TABLE workflow_revisions RENAME TO elsewhere"
BACK = "ALTER TABLE elsewhere RENAME TO workflow_revisions"


@pytest.mark.parametrize("swept", [True, False])
async def test_a_session_goes_on_after_a_run_that_was_let_in_and_never_began(
    tmp_path: Path, database: Database, database_url: str, *, swept: bool
) -> None:
    session_id = new_id()
    async with application(settings_of(tmp_path, database_url)) as app:
        await app.ready()
        await change(database, AWAY)
        try:
            with pytest.raises(ProgrammingError):
                await begin(app, "It is let in", session_id)
        finally:
            await change(database, BACK)
        ((run_id, status),) = await rows(database, "SELECT id, status FROM runs")
        assert status == "queued"
        if swept:
            assert await app.core().recovery.sweep() == 1
        again = await begin(app, "Once more", session_id)
        await all_of(again.entries)
        assert (await app.runs.get(USER, again.run_id)).status == "succeeded"
        assert (await app.runs.get(USER, run_id)).status == "interrupted"
    await assert_sound(database)
