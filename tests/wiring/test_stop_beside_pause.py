"""A stop that comes while a run is about to wait for somebody is heard all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from callsheet.auth.principal import Principal
from callsheet.db.driver import DriverConnection
from callsheet.db.transaction import Database
from callsheet.events.entry import Entry
from callsheet.events.run import RunPaused
from callsheet.jobs.local import LocalJobs
from callsheet.journal.budgets import Budgets
from callsheet.journal.changes import Changes
from callsheet.journal.postgres import PostgresJournal
from callsheet.journal.written import Written
from callsheet.runs.run import RunRecord
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.application import Application
from callsheet.wiring.runs import RunService
from callsheet.wiring.sessions import SessionService
from tests.fakes.chat import ScriptedChat
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import USER, all_of, begin, settings_of
from tests.wiring.test_answered_elsewhere import mailing


class Held(PostgresJournal):
    """Stores no pause before it is let go."""

    reached: asyncio.Event
    go: asyncio.Event

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        if any(isinstance(entry.event, RunPaused) for _, entry in entries):
            self.reached.set()
            await self.go.wait()
        return await super().write(entries, changes)


class Stopping(LocalJobs):
    """Lets the pause be stored as soon as the stop has been given."""

    def __init__(self, jobs: LocalJobs, go: asyncio.Event) -> None:
        super().__init__(0)
        self._inner = jobs
        self._go = go

    async def cancel(self, job_id: UUID, reason: str) -> bool:
        async with asyncio.TaskGroup() as group:
            stopped = group.create_task(self._inner.cancel(job_id, reason))
            await asyncio.sleep(0)
            self._go.set()
        return stopped.result()


class Slow(RunService):
    """Comes too late the first time: what there was to stop had not begun to wait."""

    is_late = True

    async def cancel_session(self, principal: Principal, session_id: UUID) -> RunRecord | None:
        if self.is_late:
            self.is_late = False
            return None
        return await super().cancel_session(principal, session_id)


@pytest.fixture
def reached() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
def go() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
async def app(
    tmp_path: Path, database_url: str, reached: asyncio.Event, go: asyncio.Event
) -> AsyncIterator[Application]:
    def journal(connection: DriverConnection, currency: str, budgets: Budgets) -> Held:
        held = Held(connection, currency, budgets)
        held.reached, held.go = reached, go
        return held

    adapters = Adapters(journal=journal, chat_client=ScriptedChat(choose=mailing))
    async with Application(settings_of(tmp_path, database_url), adapters) as running:
        await running.ready()
        yield running


async def test_a_run_that_comes_to_wait_while_it_is_stopped_waits_no_more(
    app: Application, database: Database, reached: asyncio.Event, go: asyncio.Event
) -> None:
    run = await begin(app, "Write to Ann")
    await reached.wait()
    core = app.core()
    stopping = RunService(lambda: replace(core, jobs=Stopping(core.jobs, go)))
    assert (await stopping.cancel(USER, run.run_id)).status == "cancelled"
    assert await rows(database, "SELECT status FROM interrupts") == [("closed",)]
    assert (await app.sessions.get(USER, run.session_id)).status == "completed"
    await assert_sound(database)


async def test_a_session_is_not_deleted_over_a_run_that_has_come_to_wait(
    app: Application, database: Database, go: asyncio.Event
) -> None:
    go.set()
    run = await begin(app, "Write to Ann")
    await all_of(run.entries)
    await SessionService(app.core, Slow(app.core)).delete(USER, run.session_id)
    assert await rows(database, "SELECT status FROM runs") == [("cancelled",)]
    assert await rows(database, "SELECT status FROM interrupts") == [("closed",)]
