"""Budgets are held by the database, inside the transaction that opens a call."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from callsheet.db.transaction import Database
from callsheet.ledger.budget.limits import Override, Scope
from callsheet.ledger.budget.refusal import Refusal
from tests.ledger.budget.spending import quotas_of, some, spend, spender, spot
from tests.sessions.rows import rows


async def kept(database: Database) -> dict[tuple[str, str], tuple[Any, ...]]:
    """calls, tokens, cost, held tokens, held cost of each counter."""
    found = await rows(
        database,
        "SELECT scope, period, sum(calls), sum(tokens), sum(cost), sum(reserved_tokens), "
        "sum(reserved_cost) FROM budget_counters GROUP BY 1, 2",
    )
    return {(row[0], row[1]): row[2:] for row in found}


async def assert_counters_equal_the_ledger(database: Database) -> None:
    """Every counter is the sum of its rows, and there is no row that no counter counts."""
    assert (
        await rows(
            database,
            """
            WITH l AS (
              SELECT k.scope, k.scope_id, k.period, k.period_start, count(*) AS calls,
                     sum(input_tokens + output_tokens) AS tokens, sum(cost_exact) AS cost,
                     sum(reserved_tokens) AS held_tokens, sum(reserved_cost) AS held_cost
              FROM llm_calls c CROSS JOIN LATERAL (VALUES
                ('deployment', '', 'day', date_trunc('day', started_at, 'UTC')),
                ('deployment', '', 'month', date_trunc('month', started_at, 'UTC')),
                ('user', user_id::text, 'day', date_trunc('day', started_at, 'UTC')),
                ('user', user_id::text, 'month', date_trunc('month', started_at, 'UTC'))
              ) AS k(scope, scope_id, period, period_start) GROUP BY 1, 2, 3, 4)
            SELECT * FROM l FULL JOIN budget_counters b
              USING (scope, scope_id, period, period_start)
            WHERE (l.calls, l.tokens, l.cost, l.held_tokens, l.held_cost) IS DISTINCT FROM
                  (b.calls, b.tokens, b.cost, b.reserved_tokens, b.reserved_cost)
            """,
        )
        == []
    )


@pytest.mark.parametrize("scope", ["run", "session", "user_day", "user_month", "deployment_day"])
@pytest.mark.parametrize("most", [some(cost="0.0001"), some(tokens=100), some(calls=2)])
async def test_each_limit_of_each_scope_is_held(
    database: Database, database_url: str, scope: Scope, most: dict[Any, Decimal]
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({scope: most})) as one:
        first, second, third = (one.call(here, 50) for _ in range(3))
        assert await one.open(first) == {}
        await one.settle((first, 50))
        assert await one.open(second) == {}
        refusals = await one.open(third)
    (refusal,) = refusals.values()
    assert (refusal.scope, refusal.limit) == (scope, next(iter(most.values())))
    assert await rows(database, "SELECT count(*) FROM llm_calls") == [(2,)]
    assert await rows(
        database, "SELECT user_id, run_id, call_id::text, code, scope, detail FROM usage_refusals"
    ) == [
        (here.user.user_id, here.run_id, third.id, "budget_spent", scope.partition("_")[0],
         refusal.detail())
    ]  # fmt: skip
    await assert_counters_equal_the_ledger(database)


async def test_a_refusal_tells_what_is_spent_what_is_held_and_when_the_day_ends(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    quotas = quotas_of({"user_day": some(tokens=100)}, zone="Asia/Shanghai")
    async with spender(database, database_url, quotas) as one:
        first, second, third = one.call(here, 40), one.call(here, 50), one.call(here, 60)
        assert await one.open(first, second) == {}
        await one.settle((first, 30))
        refusals = await one.open(third)
    assert refusals[third.id] == Refusal(
        "user_day", "tokens", Decimal(100), Decimal(30), Decimal(50), Decimal(60), "USD",
        datetime(2026, 2, 3, 16, 0, tzinfo=UTC),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scope", "elsewhere"),
    [("run", "ada"), ("session", "ada"), ("user_day", "eve"), ("user_month", "eve")],
)
async def test_what_is_spent_elsewhere_does_not_count(
    database: Database, database_url: str, scope: Scope, elsewhere: str
) -> None:
    here, there = await spot(database), await spot(database, elsewhere)
    async with spender(database, database_url, quotas_of({scope: some(calls=1)})) as one:
        assert await one.open(one.call(there, 50)) == {}
        assert await one.open(one.call(here, 50)) == {}
        assert len(await one.open(one.call(here, 50))) == 1


async def test_a_new_day_and_a_new_month_begin_with_nothing_spent(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    quotas = quotas_of({"user_day": some(calls=1), "user_month": some(calls=2)})
    async with spender(database, database_url, quotas) as one:

        async def may(day: str) -> bool:
            at = datetime.fromisoformat(f"{day}T12:00:00Z")
            return await one.open(one.call(here, 1, started_at=at)) == {}

        assert [await may(day) for day in ("2026-02-03", "2026-02-03")] == [True, False]
        assert [await may(day) for day in ("2026-02-04", "2026-02-05")] == [True, False]
        assert await may("2026-03-01")


async def test_a_call_of_a_batch_holds_for_the_next_one_and_a_refused_one_does_not(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    async with spender(database, database_url, quotas_of({"run": some(tokens=100)})) as one:
        calls = [one.call(here, tokens) for tokens in (60, 50, 40)]
        assert list(await one.open(*calls)) == [calls[1].id]
    assert await rows(database, "SELECT reserved_tokens FROM llm_calls ORDER BY 1") == [
        (40,), (60,),
    ]  # fmt: skip


async def test_a_batch_that_is_written_twice_is_judged_once(
    database: Database, database_url: str
) -> None:
    """The second time it would find its own calls spent, and what others gave back."""
    here = await spot(database)
    async with spender(database, database_url, quotas_of({"run": some(tokens=100)})) as one:
        calls = [one.call(here, 60), one.call(here, 50)]
        first = await one.open(*calls)
        await one.settle((calls[0], 1))
        assert await one.open(*calls) == first
    assert list(first) == [calls[1].id]
    assert await rows(database, "SELECT count(*) FROM llm_calls") == [(1,)]
    assert await rows(database, "SELECT count(*) FROM usage_refusals") == [(1,)]
    await assert_counters_equal_the_ledger(database)


async def test_a_user_without_limits_passes_where_another_has_some(
    database: Database, database_url: str
) -> None:
    ada, eve = await spot(database), await spot(database, "eve")
    quotas = quotas_of({}, ada={"user_day": some(calls=0)})
    async with spender(database, database_url, quotas) as one:
        mine, hers = one.call(ada, 1), one.call(eve, 1)
        assert list(await one.open(mine, hers)) == [mine.id]


async def test_a_limit_of_one_user_can_be_lifted(database: Database, database_url: str) -> None:
    here = await spot(database)
    lifted: Override = {"run": {"calls": None}}
    async with spender(
        database, database_url, quotas_of({"run": some(calls=0)}, ada=lifted)
    ) as one:
        assert await one.open(one.call(here, 1)) == {}


async def test_eight_writers_never_pass_a_limit_and_never_lock_each_other_out(
    database: Database, database_url: str
) -> None:
    """Six users, one of them limited in all three measures, batches in any order."""
    most = some(tokens=1000, cost="0.0009", calls=30)
    names = ("ada", "bob", "cid", "dan", "eve", "fay")
    spots = [await spot(database, name) for name in names for _ in range(2)]
    quotas = quotas_of({"deployment_day": some(tokens=8_000)}, ada={"user_day": most})
    limited = str(spots[0].user.user_id)
    done = asyncio.Event()

    async def watch() -> None:
        while not done.is_set():
            await asyncio.gather(assert_within(), assert_counters_equal_the_ledger(database))

    async def assert_within() -> None:
        found = await rows(
            database,
            "SELECT tokens + reserved_tokens <= 1000, cost + reserved_cost <= 0.0009, calls <= 30 "
            "FROM budget_counters WHERE scope = 'user' AND scope_id = :id AND period = 'day'",
            id=limited,
        )
        assert found in ([], [(True, True, True)])

    async def write(seed: int) -> int:
        async with spender(database, database_url, quotas) as one:
            return await spend(one, spots, seed, rounds=12)

    async with spender(database, database_url, quotas):
        pass  # the price is there before the writers look for it
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        async with asyncio.TaskGroup() as writers:
            tasks = [writers.create_task(write(seed)) for seed in range(8)]
        done.set()
        await watching
    refused = sum(task.result() for task in tasks)
    assert refused > 0
    assert await rows(database, "SELECT count(*) FROM usage_refusals") == [(refused,)]
    await assert_counters_equal_the_ledger(database)
    assert await rows(database, "SELECT sum(reserved_tokens) FROM budget_counters") == [(0,)]
