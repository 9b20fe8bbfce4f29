"""Counters can always be made again from the ledger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import QUERIES, run_audit
from callsheet.ledger.budget.counters import (
    ensure_counters,
    rebuild_counters,
)
from callsheet.ledger.budget.standing import Spent
from tests.ledger.budget.spending import NOW, Spot, quotas_of, spender, spot
from tests.sessions.rows import change, rows

ZONE = ZoneInfo("UTC")
SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")


async def spent(database: Database, url: str, zone: str = "UTC") -> Spot:
    """Yesterday's, last month's and today's calls, one of them still open."""
    here = await spot(database)
    async with spender(database, url, quotas_of({}, zone=zone)) as one:
        for days, tokens in ((0, 10), (1, 20), (40, 40)):
            call = one.call(here, 90, started_at=NOW - timedelta(days=days))
            await one.open(call)
            await one.settle((call, tokens))
        await one.open(one.call(here, 80))
    return here


async def test_counters_that_were_kept_differ_in_nothing(
    database: Database, database_url: str
) -> None:
    await spent(database, database_url)
    assert await rebuild_counters(database, ZONE, NOW) == ()


async def test_after_an_upgrade_the_counters_are_made_from_the_ledger(
    database: Database, database_url: str
) -> None:
    here = await spent(database, database_url)
    await change(database, "DELETE FROM budget_counters")
    await ensure_counters(database, ZONE, NOW)
    assert await rows(
        database,
        "SELECT scope, scope_id, period, calls, tokens, cost, reserved_tokens, reserved_cost "
        "FROM budget_counters ORDER BY scope, period",
    ) == [
        (scope, scope_id, period, calls, tokens, tokens * Decimal("0.000001"), 80,
         Decimal("0.00008"))
        for scope, scope_id in (("deployment", ""), ("user", str(here.user.user_id)))
        for period, calls, tokens in (("day", 2, 10), ("month", 3, 30))
    ]  # fmt: skip


async def test_another_zone_has_counters_of_its_own_days_and_coming_back_counts_everything(
    database: Database, database_url: str
) -> None:
    await spent(database, database_url)
    await ensure_counters(database, SHANGHAI, NOW)
    assert await rebuild_counters(database, SHANGHAI, NOW) == ()
    day = datetime(2026, 2, 2, 16, 0, tzinfo=UTC)
    assert await rows(
        database,
        "SELECT calls FROM budget_counters WHERE scope = 'deployment' AND period = 'day' "
        "AND period_start = :day",
        day=day,
    ) == [(2,)]
    here = await spot(database, "eve")
    async with spender(database, database_url, quotas_of({}, zone="Asia/Shanghai")) as one:
        await one.open(one.call(here, 5))
    await ensure_counters(database, ZONE, NOW)
    assert await rebuild_counters(database, ZONE, NOW) == ()


@pytest.mark.parametrize(
    ("before", "after"), [("UTC", SHANGHAI), ("UTC", NEW_YORK), ("Asia/Shanghai", ZONE)]
)
async def test_after_a_change_of_the_zone_each_call_is_counted_once(
    database: Database, database_url: str, before: str, after: ZoneInfo
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({}, zone=before)) as one:
        for hours in range(1, 60, 6):
            call = one.call(here, 90, started_at=NOW - timedelta(hours=hours))
            await one.open(call)
            await one.settle((call, hours))
    await ensure_counters(database, after, NOW)
    assert await rebuild_counters(database, after, NOW) == ()
    [audited] = await run_audit(database, [each for each in QUERIES if each.number == 9])
    assert audited.rows == ()
    assert await rows(
        database,
        "SELECT scope, sum(calls) FROM budget_counters WHERE period = 'day' GROUP BY 1 ORDER BY 1",
    ) == [("deployment", 10), ("user", 10)]


async def test_a_counter_that_was_changed_is_told_and_made_right(
    database: Database, database_url: str
) -> None:
    await spent(database, database_url)
    await change(
        database, "UPDATE budget_counters SET cost = 7 WHERE scope = 'user' AND period = 'day'"
    )
    (found,) = await rebuild_counters(database, ZONE, NOW)
    assert (found.scope, found.period) == ("user", "day")
    assert found.kept == Spent(2, 10, Decimal(7), 80, Decimal("0.00008"))
    assert found.ledger == Spent(2, 10, Decimal("0.00001"), 80, Decimal("0.00008"))
    assert await rebuild_counters(database, ZONE, NOW) == ()


async def test_a_counter_of_nothing_goes(database: Database) -> None:
    await change(
        database,
        "INSERT INTO budget_counters (scope, scope_id, period, period_start, calls) "
        "VALUES ('user', 'x', 'day', :day, 4)",
        day=datetime(2026, 2, 3, tzinfo=UTC),
    )
    (found,) = await rebuild_counters(database, ZONE, NOW)
    assert found.ledger == Spent()
    assert await rows(database, "SELECT count(*) FROM budget_counters") == [(0,)]
