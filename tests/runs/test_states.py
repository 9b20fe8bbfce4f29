"""What a run may become, pair by pair, as the database keeps it."""

from __future__ import annotations

import typing
from itertools import product
from uuid import UUID

import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.tables.run import RUN_STATUSES
from callsheet.db.transaction import Database
from callsheet.runs.end import SESSION_STATUS, RunEnd
from callsheet.runs.journal_store import end_runs, start_runs
from callsheet.runs.run import RunStatus
from callsheet.runs.states import ACTIVE, RUN
from callsheet.sessions.states import SESSION
from tests.runs.test_store import new_run
from tests.sessions.rows import change, new_session, rows

ENDS: tuple[RunStatus, ...] = ("waiting_input", "succeeded", "failed", "cancelled", "interrupted")


async def run_in(database: Database, status: str) -> UUID:
    run_id = await new_run(database, await new_session(database))
    await change(database, "UPDATE runs SET status = :status WHERE id = :id",
                 status=status, id=run_id)  # fmt: skip
    return run_id


async def status_of(database: Database, run_id: UUID) -> str:
    return str((await rows(database, "SELECT status FROM runs WHERE id = :id", id=run_id))[0][0])


def test_the_table_has_the_states_of_the_column_and_of_the_records() -> None:
    assert RUN.states == RUN_STATUSES == typing.get_args(RunStatus)


def test_a_session_can_follow_every_change_of_its_run() -> None:
    changes = [(SESSION_STATUS[one], SESSION_STATUS[other]) for one, other in RUN]
    changes += [(status, "pending") for status in SESSION_STATUS.values()]  # the next is let in
    assert {(one, other) for one, other in changes if one != other} == set(SESSION)


def test_what_is_active_can_go_on_and_what_has_ended_cannot() -> None:
    assert [status for status in RUN.states if RUN.allows(status, "cancelled")] == [
        *ACTIVE,
        "waiting_input",
    ]


@pytest.mark.parametrize(("before", "after"), [*product(RUN.states, ENDS)])
async def test_a_run_ends_as_its_table_says(
    database: Database, database_url: str, before: RunStatus, after: RunStatus
) -> None:
    run_id = await run_in(database, before)
    driver = DriverConnection(DatabaseOptions(database_url))
    async with driver.transaction() as tx:
        await end_runs(tx, [RunEnd(run_id, after, "[]", "a_code", None)])
    await driver.close()
    [(status, code)] = await rows(database, "SELECT status, error_code FROM runs")
    assert (status, code) == ((after, "a_code") if RUN.allows(before, after) else (before, None))


@pytest.mark.parametrize("before", RUN.states)
async def test_a_run_begins_as_its_table_says(
    database: Database, database_url: str, before: RunStatus
) -> None:
    run_id = await run_in(database, before)
    driver = DriverConnection(DatabaseOptions(database_url))
    async with driver.transaction() as tx:
        await start_runs(tx, [(run_id, "r1")])
    await driver.close()
    expected = "running" if RUN.allows(before, "running") else before
    assert await status_of(database, run_id) == expected
