"""Each kind of fault is found, and by the queries that are about it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from uuid import uuid4

import pytest
from sqlalchemy import text

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import run_audit
from tests.fixtures.booked import Booked, book_turns
from tests.fixtures.database import ensure_template, named, run_apart, statement
from tests.ledger.audit.audit_faults import COUNTED, FAULTS, UNRULED


@pytest.fixture(scope="module")
def scratch_url(postgres_server: str) -> Iterator[str]:
    """A database whose own rules are switched off."""
    template = run_apart(ensure_template(postgres_server))
    name = f"test_{os.getpid()}_{uuid4().hex[:6]}"
    run_apart(statement(postgres_server, f'CREATE DATABASE "{name}" TEMPLATE "{template}"'))
    url = named(postgres_server, name)
    run_apart(statement(url, *UNRULED))
    yield url
    run_apart(statement(postgres_server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))


@pytest.fixture
async def scratch(scratch_url: str) -> AsyncIterator[Database]:
    tables = "users, sessions, messages, runs, llm_calls, llm_prices, price_windows, fx_rates"
    await statement(scratch_url, f"TRUNCATE {tables}, budget_counters, cost_adjustments CASCADE")
    database = Database.from_options(DatabaseOptions(scratch_url, pool_size=1))
    yield database
    await database.close()


async def found(database: Database) -> set[int]:
    return {
        result.query.number
        for result in await run_audit(database)
        if result.query.kind == "differences" and result.rows
    }


async def plant(database: Database, booked: Booked, *statements: str) -> None:
    """All of it in one transaction."""
    async with database.transaction() as tx:
        for each in statements:
            values = {name: value for name, value in asdict(booked).items() if f":{name}" in each}
            await tx.execute(text(each), values)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_planted_fault_is_found_by_the_queries_about_it(
    scratch: Database, fault: str
) -> None:
    by, statements = FAULTS[fault]
    booked = await book_turns(scratch)
    assert await found(scratch) == set()
    await plant(scratch, booked, *statements)
    assert await found(scratch) == by


async def test_counters_are_not_held_against_calls_from_before_they_counted(
    scratch: Database,
) -> None:
    booked = await book_turns(scratch)
    await plant(scratch, booked, COUNTED)
    assert await found(scratch) == set()
    early = "UPDATE llm_calls SET started_at = '2026-03-01' WHERE id = :call_id"
    await plant(scratch, booked, early)
    assert await found(scratch) == set()


async def test_a_window_that_holds_over_midnight_ends_on_the_next_day(scratch: Database) -> None:
    async with scratch.transaction() as tx:
        await tx.exec_driver_sql(
            "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) VALUES "
            "('late', 'Asia/Shanghai', '{5}', '22:00', '02:00'), "
            "('day', 'UTC', '{1}', '09:00', '00:00')"
        )
        rows = await tx.exec_driver_sql(
            "SELECT code, at, price_window_holds(code, at::timestamptz) FROM (VALUES "
            "('late', '2026-05-01 13:59Z'), ('late', '2026-05-01 14:00Z'), "
            "('late', '2026-05-01 17:59Z'), ('late', '2026-05-01 18:00Z'), "
            "('late', '2026-04-30 17:00Z'), ('day', '2026-05-04 23:59Z'), "
            "('day', '2026-05-05 00:00Z'), ('none', '2026-05-04 23:59Z')) AS v(code, at)"
        )
        held = [tuple(row)[2] for row in rows]
    assert held == [False, True, True, False, False, True, False, False]
