"""A process starts in the background, serves turns, and ends in order."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.transaction import Database
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunCancelled, RunFinished
from callsheet.events.union import TERMINAL
from callsheet.journal.budgets import Budgets
from callsheet.journal.writer import JournalStore
from callsheet.kit.errors import SetupError, Unavailable
from callsheet.kit.pages import PageRequest
from callsheet.kit.readiness import Part
from callsheet.runs.event_store import read_events
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.application import Application
from callsheet.wiring.health import HealthService
from tests.fakes.chat import ScriptedChat
from tests.fixtures.booked import book_turns
from tests.fixtures.database import statement
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import (
    USER,
    all_of,
    answering,
    application,
    begin,
    hanging,
    said_to,
    settings_of,
    until_text,
)


async def test_a_turn_goes_all_the_way_and_the_next_one_knows_of_it(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=answering)
    async with application(settings_of(tmp_path, database_url), chat) as app:
        await app.ready()
        first = await begin(app, "How tall is Ben Nevis?")
        entries = await all_of(first.entries)
        second = await begin(app, "And in feet?", first.session_id)
        await all_of(second.entries)
        session = await app.sessions.get(USER, first.session_id)
    order = OrderChecker()
    for entry in entries:
        order.check(entry.event)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert isinstance(entries[-1].event, RunFinished)
    assert (session.title, session.status) == ("How tall is Ben Nevis?", "completed")
    told = [said_to(request) for request in chat.requests]
    assert len(told) == 6
    assert "Ben Nevis" not in told[3]  # the intent stage does not ask for the history
    assert "How tall is Ben Nevis?" in told[4]
    assert "Here is your answer." in told[4]
    assert "The work is done." not in told[4]
    await assert_sound(database)


async def needed_parts(app: Application) -> list[Part]:
    """What turns cannot do without."""
    return [part for part in await HealthService(app).parts() if part.needed]


async def test_before_the_start_is_over_services_say_so(tmp_path: Path, database_url: str) -> None:
    app = application(settings_of(tmp_path, database_url))
    async with app:
        with pytest.raises(Unavailable, match="still starting"):
            await begin(app, "too early")
        with pytest.raises(Unavailable, match="still starting"):
            await app.sessions.list(USER, PageRequest())
        assert [part.ready for part in await needed_parts(app)] == [False] * 3
        await app.ready()
        assert await app.sessions.recent(USER) is None


async def test_a_process_that_is_stopped_while_it_starts_just_ends(
    tmp_path: Path, database_url: str
) -> None:
    async with asyncio.timeout(30):
        async with application(settings_of(tmp_path, database_url)):
            pass
        async with application(settings_of(tmp_path, database_url)):
            await asyncio.sleep(0.05)


async def test_a_database_that_is_not_there_is_told_by_ready_and_by_every_part(
    tmp_path: Path,
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"postgresql://nobody@127.0.0.1:{unused.getsockname()[1]}/none"
        async with application(settings_of(tmp_path, url)) as app:
            with pytest.raises((SetupError, Unavailable)) as failure:
                await app.ready()
            parts = {part.name: part for part in app.readiness.parts()}
            assert parts["database"] == Part("database", ready=False, detail=str(failure.value))
            assert parts["catalog"].detail == str(failure.value)


async def test_a_fault_of_ours_in_the_start_is_told_and_not_hung_on(
    tmp_path: Path, database_url: str
) -> None:
    def broken(connection: DriverConnection, currency: str, budgets: Budgets) -> JournalStore:
        raise ZeroDivisionError("secret detail")

    settings = settings_of(tmp_path, database_url)
    async with Application(settings, Adapters(journal=broken)) as app:
        with pytest.raises(SetupError, match="failed inside: ZeroDivisionError"):
            await app.ready()


async def test_another_currency_than_the_booked_one_refuses_to_start(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    await book_turns(database)
    async with application(settings_of(tmp_path, database_url, currency="EUR")) as app:
        with pytest.raises(SetupError, match="booked in USD"):
            await app.ready()
        with pytest.raises(SetupError, match="booked in USD"):
            await app.ready()


async def test_prices_in_another_currency_than_the_accounts_refuse_to_start(
    tmp_path: Path, database_url: str
) -> None:
    async with application(settings_of(tmp_path, database_url, currency="EUR")) as app:
        with pytest.raises(SetupError, match="does not start: no rate to EUR"):
            await app.ready()


async def test_health_asks_the_database_now(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with application(settings_of(tmp_path, database_url)) as app:
        await app.ready()
        stage = await begin(app, "warm")
        await all_of(stage.entries)
        assert await needed_parts(app) == [
            Part("database", ready=True),
            Part("catalog", ready=True),
            Part("crew", ready=True),
        ]
        name = (await rows(database, "SELECT current_database()"))[0][0]
        await database.close()
        maintenance = database_url.replace(name, "postgres", 1)
        cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        await statement(maintenance, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false', cut)
        try:
            async with asyncio.timeout(20):
                while (away := (await HealthService(app).parts())[0]).ready:
                    await asyncio.sleep(0.02)
        finally:
            await statement(maintenance, f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        assert away.detail
        async with asyncio.timeout(20):
            while not (await HealthService(app).parts())[0].ready:
                await asyncio.sleep(0.02)


async def test_a_commands_run_under_way_at_the_end_is_given_time_and_then_stopped(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=hanging)
    settings = settings_of(tmp_path, database_url)
    async with application(settings, chat, drain_s=0.1, kind="command") as app:
        await app.ready()
        run = await begin(app, "Take your time")
        await until_text(run.entries, "Half the ")
    assert chat.open == 0
    async with database.read() as tx:
        entries = await read_events(tx, run.run_id, 0, 1000)
    order = OrderChecker()
    for entry in entries:
        order.check(entry.event)
    (end,) = [entry.event for entry in entries if isinstance(entry.event, TERMINAL)]
    assert isinstance(end, RunCancelled)
    assert end.reason == "shutdown"
    assert await rows(database, "SELECT status FROM runs") == [("cancelled",)]
    assert await rows(database, "SELECT status FROM sessions") == [("completed",)]
    assert await rows(database, "SELECT count(*) FROM llm_calls WHERE status = 'open'") == [(0,)]
    await assert_sound(database)


async def test_a_run_that_ends_in_time_is_let_finish(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with application(settings_of(tmp_path, database_url)) as app:
        await app.ready()
        run = await begin(app, "Quick")
        await run.entries.aclose()
    assert await rows(database, "SELECT status FROM runs") == [("succeeded",)]
    await assert_sound(database)


async def test_a_turn_that_comes_while_the_process_ends_is_refused_and_leaves_nothing(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=hanging)
    async with application(settings_of(tmp_path, database_url), chat, drain_s=0.5) as app:
        await app.ready()
        run = await begin(app, "Take your time")
        app.core().jobs.stop()
        with pytest.raises(Unavailable, match="shutting down"):
            await begin(app, "Too late")
    assert await rows(database, "SELECT id, worker_id FROM runs") == [(run.run_id, None)]
    assert await rows(database, "SELECT count(*) FROM sessions") == [(1,)]
