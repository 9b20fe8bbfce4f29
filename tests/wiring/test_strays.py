"""A process that was taken for dead stops what it still does for runs that were ended."""

from __future__ import annotations

import asyncio
from pathlib import Path

from callsheet.db.transaction import Database
from callsheet.events.run import RunFailed
from callsheet.wiring.strays import Strays
from tests.fakes.chat import ScriptedChat
from tests.fakes.spool import NoSpool
from tests.journal.stage import end_run, recovery_of
from tests.journal.test_writer import writing
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import USER, all_of, application, begin, hanging, settings_of, until_text


async def test_a_run_that_another_process_has_ended_is_stopped_here(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=hanging)
    async with application(settings_of(tmp_path, database_url), chat) as app:
        await app.ready()
        ended = await begin(app, "Take your time")
        await until_text(ended.entries, "Half the ")
        looked_at = (await app.runs.watch(USER, ended.run_id)).entries
        goes_on = await begin(app, "And this")
        await until_text(goes_on.entries, "Half the ")
        async with writing(database_url, []) as writer:
            another = recovery_of(database, writer, "another", NoSpool())
            await end_run(another, database, ended.run_id)
        jobs = app.core().jobs
        strays = Strays(database, jobs, app.core().worker_id, every_s=0.01)
        looking = asyncio.create_task(strays.run())
        async with asyncio.timeout(20):
            while jobs.has(ended.run_id):
                await asyncio.sleep(0.01)
            seen = await all_of(looked_at)
        looking.cancel()
        assert isinstance(seen[-1].event, RunFailed)
        assert jobs.has(goes_on.run_id)
        assert (await app.runs.get(USER, ended.run_id)).status == "interrupted"
        await app.runs.cancel(USER, goes_on.run_id)
    assert await rows(database, "SELECT count(*) FROM llm_calls WHERE status = 'open'") == [(0,)]
    await assert_sound(database)
