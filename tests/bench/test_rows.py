"""The generated ledger is a sound one, with something of everything."""

from __future__ import annotations

from datetime import UTC, datetime

import asyncpg
import pytest

from bench.rows.generate import Size, generate
from bench.rows.run import measure
from callsheet.db.engine import plain_url
from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import run_audit

UNTIL = datetime(2026, 11, 30, 12, tzinfo=UTC)


async def fill(url: str, calls: int) -> dict[str, object]:
    connection = await asyncpg.connect(plain_url(url))
    try:
        await generate(connection, Size(calls, 60, UNTIL))
        row = await connection.fetchrow(
            "SELECT count(*) AS calls, count(DISTINCT price_id) AS prices, "
            "count(DISTINCT status) AS statuses, count(DISTINCT fx_rate) AS rates, "
            "count(*) FILTER (WHERE unpriced) AS unpriced, count(tool) AS by_tools, "
            "count(DISTINCT user_id) AS users, max(started_at) = $1::timestamptz "
            "AND min(started_at) > $1 - interval '60 days' AS in_time FROM llm_calls",
            UNTIL,
        )
        assert row is not None
        return dict(row)
    finally:
        await connection.close()


async def test_the_audit_of_a_generated_ledger_is_empty(
    database: Database, database_url: str
) -> None:
    found = await fill(database_url, 20_000)
    assert found == {
        "calls": 20_000,
        "prices": 9,
        "statuses": 4,
        "rates": 3,
        "unpriced": 20,
        "by_tools": 4_500,
        "users": 4,
        "in_time": True,
    }
    for result in await run_audit(database):
        assert result.query.kind == "report" or result.rows == (), result.query.title


@pytest.mark.parametrize("calls", [0, 30])
async def test_calls_that_are_no_whole_sessions_are_refused(database_url: str, calls: int) -> None:
    with pytest.raises(ValueError, match="not whole"):
        await fill(database_url, calls)


async def test_a_ledger_with_calls_is_left_alone(database_url: str) -> None:
    await fill(database_url, 20)
    with pytest.raises(ValueError, match="already"):
        await fill(database_url, 20)


async def test_every_view_and_the_settling_are_measured_and_leave_the_ledger_sound(
    database: Database, database_url: str
) -> None:
    rows = await measure(database_url, Size(200, 60, UNTIL), 1, bookings=3)
    async with database.read() as tx:
        views = await tx.exec_driver_sql(
            "SELECT viewname FROM pg_views WHERE schemaname = 'public' ORDER BY viewname"
        )
        names = [row[0] for row in views]
        booked = await tx.exec_driver_sql("SELECT count(*) FROM llm_calls")
        assert booked.scalar_one() == 203
    measured = [row.what for row in rows]
    assert [what.partition(",")[0] for what in measured[: len(names)]] == names
    assert measured[-2:] == ["settle p50, ms", "differences that the audit finds"]
    assert rows[-1].values == (0.0,)
    assert all(row.values for row in rows)
