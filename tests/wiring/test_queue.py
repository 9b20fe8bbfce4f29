"""Runs that wait for a worker: begun by whoever has a free place, stopped, expired, refused."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callsheet.agui.run_input import ContinuationInput
from callsheet.db.transaction import Database, Read
from callsheet.events.run import RunCancelled, RunFailed, RunFinished
from callsheet.jobs.local import LocalJobs
from callsheet.kit.errors import Conflict, RateLimited, Unavailable
from callsheet.kit.ids import new_id
from callsheet.runs.queue_store import claim_runs
from callsheet.runs.worker_locks import WorkerKind
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.application import Application
from callsheet.wiring.claimed_run import begin_claimed
from callsheet.wiring.claims import Claims
from callsheet.wiring.expiry import Expiry
from tests.fakes.chat import ScriptedChat
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import change, rows
from tests.wiring.stage import (
    USER,
    all_of,
    answering,
    begin,
    hanging,
    settings_of,
    until_text,
)


@asynccontextmanager
async def process(
    folder: Path, url: str, kind: WorkerKind, chat: ScriptedChat | None = None, **limits: Any
) -> AsyncIterator[Application]:
    chat = chat or ScriptedChat(choose=answering)
    settings = settings_of(folder, url, limits=limits)
    async with Application(settings, Adapters(chat_client=chat), kind) as app:
        await app.ready()
        yield app


async def test_a_process_without_workers_queues_a_run_and_a_worker_begins_it_at_once(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with (
        process(tmp_path, database_url, "api") as api,
        process(tmp_path, database_url, "worker") as worker,
    ):
        warm = await begin(api, "Get ready")
        await all_of(warm.entries)
        asked_at = time.monotonic()
        run = await begin(api, "Hello")
        first = await anext(run.entries)
        took_s = time.monotonic() - asked_at
        entries = [*first, *await all_of(run.entries)]
        assert isinstance(entries[-1].event, RunFinished)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        assert took_s < 5
        found = await rows(
            database, "SELECT worker_id, lease_epoch FROM runs WHERE id = :id", id=run.run_id
        )
        assert found == [(worker.core().worker_id, 1)]
        again = await begin(api, "And again", run.session_id)
        await all_of(again.entries)
    await assert_sound(database)
    assert await rows(database, "SELECT DISTINCT status FROM runs") == [("succeeded",)]


async def test_a_run_for_which_no_place_is_free_waits_until_one_is(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=hanging)
    async with process(tmp_path, database_url, "serve", chat, concurrent_runs=1) as app:
        first = await begin(app, "Take your time")
        await until_text(first.entries, "Half the ")
        second = await begin(app, "Me too")
        assert (await app.runs.get(USER, second.run_id)).status == "queued"
        chat.choose = answering
        await app.runs.cancel(USER, first.run_id)
        assert isinstance((await all_of(second.entries))[-1].event, RunFinished)
        assert chat.max_open == 1
    await assert_sound(database)


async def test_more_than_may_wait_are_refused(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with process(tmp_path, database_url, "api", waiting_runs=2) as api:
        for _ in range(2):
            await begin(api, "I wait")
        with pytest.raises(RateLimited) as refused:
            await begin(api, "One too many")
        assert refused.value.extra["retry_after_s"] > 0
        assert await rows(database, "SELECT count(*) FROM runs") == [(2,)]
        assert await rows(database, "SELECT count(*) FROM pgqueuer") == [(2,)]


async def test_a_session_whose_run_waits_takes_no_other(tmp_path: Path, database_url: str) -> None:
    async with process(tmp_path, database_url, "api") as api:
        run = await begin(api, "I wait")
        with pytest.raises(Conflict) as active:
            await begin(api, "And I", run.session_id)
        assert active.value.error_code == "run_active"
        assert active.value.extra["runId"] == str(run.run_id)


async def test_a_run_that_waits_is_stopped(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(process(tmp_path, database_url, "api"))
        run = await begin(api, "Never mind")
        assert (await api.runs.cancel(USER, run.run_id)).status == "cancelled"
        (end,) = [e.event for e in await all_of(run.entries) if isinstance(e.event, RunCancelled)]
        assert end.reason == "user"
        worker = process(tmp_path, database_url, "worker")
        await stack.enter_async_context(worker)
        next_run = await begin(api, "But this", run.session_id)
        await all_of(next_run.entries)
        assert (await api.runs.get(USER, run.run_id)).status == "cancelled"
    await assert_sound(database)


async def test_a_run_that_waits_too_long_fails_and_says_so(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with process(tmp_path, database_url, "api") as api:
        run = await begin(api, "I wait")
        await change(database, "UPDATE runs SET expires_at = now()")
        assert await Expiry(api.core()).look() == 1
        entries = await all_of(run.entries)
        assert isinstance(entries[-1].event, RunFailed)
        assert entries[-1].event.code == "expired"
        assert (await api.runs.get(USER, run.run_id)).status == "failed"
        assert await rows(database, "SELECT count(*) FROM pgqueuer") == [(0,)]


async def test_a_run_whose_workflow_is_gone_when_it_is_begun_fails(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with process(tmp_path, database_url, "api") as api:
        run = await begin(api, "Hello")
        await change(database, "UPDATE runs SET workflow = 'elsewhere'")
        async with process(tmp_path, database_url, "worker"):
            entries = await all_of(run.entries)
    assert isinstance(entries[-1].event, RunFailed)
    assert entries[-1].event.code == "revision_gone"


async def test_what_waits_while_no_worker_is_there_is_begun_by_the_next_in_the_order_it_came(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=answering)
    async with process(tmp_path, database_url, "api") as api:
        runs = [await begin(api, f"Number {number}") for number in range(3)]
        async with process(tmp_path, database_url, "worker", chat, concurrent_runs=1):
            async with asyncio.timeout(60):
                for run in runs:
                    await all_of(run.entries)
    began = await rows(database, "SELECT id FROM runs ORDER BY started_at")
    assert [run_id for (run_id,) in began] == [run.run_id for run in runs]


async def test_runs_that_were_stopped_while_they_waited_hold_up_none_behind_them(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with process(tmp_path, database_url, "api") as api:
        for number in range(4):
            run = await begin(api, f"Never mind {number}")
            await api.runs.cancel(USER, run.run_id)
        one_place = replace(api.core(), jobs=LocalJobs(1))
        claims = Claims(one_place, api.workflows, one_place.options, look_every_s=3_600.0)
        async with asyncio.timeout(30):
            claiming = asyncio.ensure_future(claims.run())
            while await rows(database, "SELECT count(*) FROM pgqueuer") != [(0,)]:
                await asyncio.sleep(0.01)
        claiming.cancel()


async def test_a_run_that_was_stopped_before_it_began_can_be_gone_on_with(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with process(tmp_path, database_url, "api") as api:
        run = await begin(api, "Hello")
        assert (await api.runs.cancel(USER, run.run_id)).status == "cancelled"
        next_id = new_id()
        asked = ContinuationInput(protocol="1.0", run_id=next_id, raw_run_id=str(next_id))
        _, goes_on = await api.continuations.start(USER, run.run_id, asked, "trace-2")
        async with process(tmp_path, database_url, "worker"):
            entries = await all_of(goes_on.entries)
    assert isinstance(entries[-1].event, RunFinished)
    await assert_sound(database)


async def no_connection() -> Read:
    raise Unavailable("The database has no free connection.", service="database")


class Away(Database):
    """Cannot be read."""

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Read]:
        yield await no_connection()


async def test_a_claimed_run_that_cannot_be_had_now_waits_again(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    async with process(tmp_path, database_url, "api") as api:
        run = await begin(api, "Hello")
        core = api.core()
        async with database.transaction() as tx:
            waiting = await core.queue.claim(tx, 1)
            [(run_id, lease)] = await claim_runs(tx, waiting, core.worker_id)
            core.jobs.expect(run_id)
        away = replace(core, database=Away(core.database.engine))
        await begin_claimed(away, api.workflows, run_id, lease)
        assert not core.jobs.has(run_id)
        async with process(tmp_path, database_url, "worker"):
            assert isinstance((await all_of(run.entries))[-1].event, RunFinished)
    assert await rows(database, "SELECT take_overs FROM runs") == [(0,)]
    await assert_sound(database)
