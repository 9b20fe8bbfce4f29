"""Most calls begin in the commit in which the one before has ended."""

from __future__ import annotations

from callsheet.db.transaction import Database
from tests.ledger.budget.spending import quotas_of, some, spender, spot
from tests.ledger.budget.test_store import assert_counters_equal_the_ledger
from tests.sessions.rows import rows


async def test_what_a_call_held_is_free_for_the_one_that_begins_as_it_ends(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({"run": some(tokens=100)})) as one:
        first, second, third = (one.call(here, tokens) for tokens in (90, 90, 1))
        assert await one.open(first) == {}
        assert await one.go_on(first, 10, second)
        assert not await one.go_on(second, 90, third)
    assert await rows(database, "SELECT count(*), sum(input_tokens) FROM llm_calls") == [(2, 100)]
    assert await rows(database, "SELECT total_tokens FROM sessions") == [(100,)]
    await assert_counters_equal_the_ledger(database)


async def test_a_call_that_begins_and_ends_in_one_commit_holds_nothing(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({"run": some(tokens=100)})) as one:
        call, refused = one.call(here, 90), one.call(here, 101)
        assert await one.go_on(call, 10, call)
        assert not await one.go_on(refused, 10, refused)
    assert await rows(database, "SELECT status, input_tokens, reserved_tokens FROM llm_calls") == [
        ("settled", 10, 0)
    ]
    await assert_counters_equal_the_ledger(database)
