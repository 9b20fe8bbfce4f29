"""A process that is killed leaves a run behind; whoever comes next ends it, booked and closed."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from callsheet.db.transaction import Database
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunTakenOver
from callsheet.events.union import TERMINAL
from callsheet.kit.errors import Conflict
from callsheet.kit.ids import new_id
from callsheet.runs.event_store import read_events
from callsheet.wiring.application import Application
from tests.fakes.chat import ScriptedChat
from tests.fakes.chat_script import INTENT
from tests.fixtures.database import CHECKOUT
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import (
    USER,
    all_of,
    answering,
    application,
    begin,
    said_to,
    settings_of,
)


@asynccontextmanager
async def doomed(
    folder: Path, database_url: str, session_id: UUID, lease_s: float = 30.0
) -> AsyncIterator[tuple[UUID, asyncio.subprocess.Process]]:
    """Another process with a run of that session under way; killed at the end at the latest."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.wiring.doomed", str(folder), database_url, str(session_id),
        str(lease_s),
        cwd=CHECKOUT, env={"PYTHONPATH": f"{CHECKOUT}/backend:{CHECKOUT}"},
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(90):
            while not (line := (await process.stdout.readline()).decode()).startswith("run "):
                assert line, "the process ended before its run was under way"
        yield UUID(line.removeprefix("run ").strip()), process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def kill(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def until_ended(database: Database, run_id: UUID) -> str:
    async with asyncio.timeout(20):
        while True:
            ((status,),) = await rows(database, "SELECT status FROM runs WHERE id = :id", id=run_id)
            if status not in ("queued", "running"):
                return str(status)
            await asyncio.sleep(0.02)


async def assert_closed(database: Database, run_id: UUID, *, stopped: bool = False) -> None:
    """One terminal event, nothing open, what had streamed kept and booked."""
    async with database.read() as tx:
        entries = await read_events(tx, run_id, 0, 1000)
    order = OrderChecker()
    for entry in entries:
        order.check(entry.event)
    (end,) = [entry.event for entry in entries if isinstance(entry.event, TERMINAL)]
    if stopped:
        assert isinstance(end, RunCancelled)
        assert end.reason == "user"
    else:
        assert isinstance(end, RunFailed)
        assert end.code == "worker_died"
    assert await rows(
        database,
        "SELECT status, usage_source, input_tokens > 0, output_tokens > 0 FROM llm_calls "
        "WHERE run_id = :id ORDER BY started_at",
        id=run_id,
    ) == [("settled", "provider", True, True), ("orphaned", "estimated", True, True)]
    assert await rows(
        database,
        "SELECT content, metadata->>'status' FROM messages WHERE metadata->>'run_id' = :id "
        "ORDER BY seq DESC LIMIT 1",
        id=str(run_id),
    ) == [("Half the ", "partial")]
    await assert_sound(database)


async def test_the_next_start_goes_on_with_a_killed_processes_run(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=answering)
    async with doomed(tmp_path, database_url, new_id()) as (run_id, process):
        await kill(process)
        async with application(settings_of(tmp_path, database_url), chat) as app:
            await app.ready()
            seen = await all_of((await app.runs.watch(USER, run_id)).entries)
    assert isinstance(seen[-1].event, RunFinished)
    order = OrderChecker()
    for entry in seen:
        order.check(entry.event)
    assert [entry.seq for entry in seen] == list(range(1, len(seen) + 1))
    (taken,) = [entry.event for entry in seen if isinstance(entry.event, RunTakenOver)]
    assert taken.epoch == 2
    assert not any(INTENT in said_to(request) for request in chat.requests)  # it was done
    assert await rows(database, "SELECT status, take_overs, lease_epoch FROM runs") == [
        ("succeeded", 1, 2)
    ]
    assert await rows(database, "SELECT count(*) FROM llm_calls WHERE status = 'orphaned'") == [
        (1,)
    ]
    await assert_sound(database)


async def test_a_run_that_has_outlived_enough_workers_is_ended_and_the_session_goes_on(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    session_id = new_id()
    async with doomed(tmp_path, database_url, session_id) as (run_id, process):
        await kill(process)
        settings = settings_of(tmp_path, database_url, worker={"take_overs": 0})
        async with application(settings) as app:
            await app.ready()
            assert await until_ended(database, run_id) == "interrupted"
            assert (await app.sessions.get(USER, session_id)).status == "failed"
            assert (await app.runs.get(USER, run_id)).error_code == "worker_died"
            again = await begin(app, "Once more", session_id)
            await all_of(again.entries)
            assert (await app.runs.get(USER, again.run_id)).status == "succeeded"
    await assert_closed(database, run_id)


async def test_a_living_processes_run_is_left_to_it_and_a_dead_ones_is_ended_when_asked(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    session_id = new_id()
    async with (
        doomed(tmp_path, database_url, session_id) as (run_id, process),
        application(settings_of(tmp_path, database_url)) as app,
    ):
        await app.ready()
        with pytest.raises(Conflict) as active:
            await begin(app, "Meanwhile", session_id)
        assert active.value.error_code == "run_active"
        assert (await app.runs.get(USER, run_id)).status == "running"
        await kill(process)
        async with asyncio.timeout(20):
            while (ended := await stopped(app, run_id)) is None:
                await asyncio.sleep(0.05)
        assert ended == "cancelled"
        again = await begin(app, "Once more", session_id)
        await all_of(again.entries)
    await assert_closed(database, run_id, stopped=True)


async def stopped(app: Application, run_id: UUID) -> str | None:
    """The run's status after asking for its stop; None while its process still seems alive."""
    try:
        return (await app.runs.cancel(USER, run_id)).status
    except Conflict:
        return None
