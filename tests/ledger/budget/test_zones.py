"""Two processes whose files name other zones: what one opened, the other can settle."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from callsheet.db.transaction import Database
from callsheet.ledger.budget.counters import ensure_counters, rebuild_counters
from tests.ledger.budget.spending import NOW, quotas_of, spender, spot
from tests.sessions.rows import rows

UTC = ZoneInfo("UTC")


async def test_a_call_is_settled_whatever_the_days_were_by_which_it_was_opened(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    there = quotas_of({}, zone="Asia/Shanghai")
    async with (
        spender(database, database_url, quotas_of({})) as one,
        spender(database, database_url, there) as other,
    ):
        mine, theirs = one.call(here, 90), other.call(here, 50)
        await one.open(mine)
        await other.open(theirs)
        await other.settle((mine, 80))
        await one.settle((theirs, 40))
    assert await rows(database, "SELECT status, input_tokens FROM llm_calls ORDER BY 2") == [
        ("settled", 40), ("settled", 80),
    ]  # fmt: skip
    await ensure_counters(database, UTC, NOW)
    assert await rebuild_counters(database, UTC, NOW) == ()
    assert await rows(database, "SELECT total_tokens FROM sessions") == [(120,)]
