"""The queue on pgqueuer's tables: each waiting run goes to one, the more important ones first."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from uuid import UUID

from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment
from pgqueuer.adapters.persistence.queries import Queries

from callsheet.db.channel import Channel
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.jobs.pgqueuer import PgQueuer, TxDriver
from callsheet.kit.ids import new_id
from tests.fixtures.database import CHECKOUT
from tests.sessions.rows import rows

JOBS = "SELECT count(*) FROM pgqueuer"


async def submit(database: Database, *run_ids: UUID, priority: int = 0) -> None:
    async with database.transaction() as tx:
        for run_id in run_ids:
            await PgQueuer().submit(tx, run_id, priority)


async def claim(database: Database, most: int) -> tuple[UUID, ...]:
    async with database.transaction() as tx:
        return await PgQueuer().claim(tx, most)


async def test_more_important_runs_are_claimed_first_then_those_that_came_first(
    database: Database,
) -> None:
    scheduled, first, second = new_id(), new_id(), new_id()
    await submit(database, scheduled, priority=0)
    await submit(database, first, second, priority=10)
    assert await claim(database, 2) == (first, second)
    assert await claim(database, 5) == (scheduled,)
    assert await claim(database, 5) == ()
    assert await rows(database, JOBS) == [(0,)]


async def test_a_run_waits_once_however_often_it_is_submitted(database: Database) -> None:
    run_id = new_id()
    await submit(database, run_id, run_id)
    await submit(database, run_id)
    assert await claim(database, 5) == (run_id,)
    await submit(database, run_id)  # it was handed back
    assert await claim(database, 5) == (run_id,)


async def test_of_many_workers_each_claims_others(database: Database) -> None:
    waiting = {new_id() for _ in range(12)}
    await submit(database, *waiting)
    claimed: list[UUID] = []

    async def worker() -> None:
        while found := await claim(database, 1):
            claimed.extend(found)

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(worker())
    assert sorted(claimed) == sorted(waiting)


async def test_a_claim_that_is_not_committed_leaves_the_run_waiting(database: Database) -> None:
    run_id = new_id()
    await submit(database, run_id)
    async with database.transaction() as tx:
        assert await PgQueuer().claim(tx, 1) == (run_id,)
        await tx.rollback()  # the worker is gone
    assert await claim(database, 1) == (run_id,)


async def test_a_run_that_is_submitted_in_a_transaction_that_fails_does_not_wait(
    database: Database,
) -> None:
    async with database.transaction() as tx:
        await PgQueuer().submit(tx, new_id(), 0)
        await tx.rollback()
    assert await claim(database, 1) == ()


async def test_a_cancelled_run_waits_no_more_and_the_log_is_emptied(database: Database) -> None:
    stopped, other = new_id(), new_id()
    await submit(database, stopped, other)
    async with database.transaction() as tx:
        await PgQueuer().cancel(tx, stopped)
        await PgQueuer().cancel(tx, new_id())
    assert await claim(database, 5) == (other,)
    async with database.transaction() as tx:
        await PgQueuer().tidy(tx)
    assert await rows(database, "SELECT count(*) FROM pgqueuer_log") == [(0,)]


async def test_who_listens_hears_of_a_run_as_soon_as_it_waits(
    database: Database, database_url: str
) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    ready = asyncio.Event()
    channel = Channel(DatabaseOptions(database_url), "ch_pgqueuer")
    listening = asyncio.create_task(channel.listen(heard.put_nowait, ready.set))
    await ready.wait()
    await submit(database, new_id())
    async with asyncio.timeout(10):
        while '"insert"' not in await heard.get():
            pass
    listening.cancel()


async def test_the_migrations_made_what_this_release_of_the_library_wants(
    database: Database,
) -> None:
    async with database.transaction() as tx:
        plan = await Queries(TxDriver(tx)).plan_upgrade()
    assert plan.statements == (), "a newer pgqueuer: its tables need a migration"
    assert QueryBuilderEnvironment().settings.channel == "ch_pgqueuer"


def test_a_server_starts_without_importing_the_library() -> None:
    found = (
        "import sys, callsheet.main, callsheet.worker; "
        "sys.exit('pgqueuer' in {name.partition('.')[0] for name in sys.modules})"
    )
    environ = {"PYTHONPATH": f"{CHECKOUT}/backend"}
    assert subprocess.run([sys.executable, "-c", found], env=environ).returncode == 0
