"""What is asked before a turn: rates, spent budgets, patience; one answer for all processes."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.errors import QuotaSpent, RateLimited
from callsheet.kit.ids import new_id
from callsheet.ledger.rate.rates import UserRate
from tests.admission.doors import ADA, EVE, Door, doors, end, refusals
from tests.fakes.clock import HandClock
from tests.journal.stage import wish
from tests.ledger.budget.spending import NOW, quotas_of, some, spender, spot
from tests.sessions.rows import new_session


async def test_without_limits_and_troubles_nothing_is_asked(database: Database) -> None:
    """The database of the limits is not even there."""
    nowhere = "postgresql://127.0.0.1:9/nowhere"
    async with doors(database, nowhere, HandClock()) as (door,):
        await door.enter(ADA)


async def test_turns_of_a_minute_are_counted_over_all_processes_by_user(
    database: Database, database_url: str
) -> None:
    clock = HandClock()
    rate = UserRate(requests_per_minute=2)
    async with doors(database, database_url, clock, rate=rate, number=2) as (one, two):
        clock.forward(15)
        await one.enter(ADA)
        await two.enter(ADA)
        refused = await two.refused(ADA)
        assert isinstance(refused, RateLimited)
        assert refused.extra == {"scope": "user", "reason": "requests", "retry_after_s": 45}
        await one.enter(EVE)
        clock.forward(45)
        await one.enter(ADA)
    assert await refusals(database) == [
        ("rate_limited", "user", {"scope": "user", "reason": "requests", "retry_after_s": 45})
    ]


async def test_a_turn_that_the_gate_does_not_let_in_does_not_count(
    database: Database, database_url: str
) -> None:
    rate = UserRate(requests_per_minute=1)
    async with doors(database, database_url, HandClock(), rate=rate) as (door,):
        eves = wish(await new_session(database, EVE), user=ADA)
        with pytest.raises(Exception, match="no such session"):
            await door.enter(ADA, eves)
        await door.enter(ADA)


async def test_turns_at_the_same_time_are_never_more_than_they_may_be(
    database: Database, database_url: str
) -> None:
    rate = UserRate(concurrent_runs=3)
    clock = HandClock()
    let_in: list[UUID] = []
    turned_away: list[str] = []

    async def knock(door: Door) -> None:
        try:
            let_in.append(await door.enter(ADA))
        except RateLimited as limited:
            turned_away.append(limited.extra["reason"])

    async with doors(database, database_url, clock, rate=rate, number=4) as made:
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            for door in made * 3:
                group.create_task(knock(door))
        assert (len(let_in), turned_away) == (3, ["concurrency"] * 9)
        await end(database, let_in[0], "succeeded", clock)
        clock.forward(300)
        await made[0].enter(ADA)


async def test_a_run_that_was_let_in_can_always_be_looked_on(
    database: Database, database_url: str
) -> None:
    rate = UserRate(requests_per_minute=1, concurrent_runs=1)
    async with doors(database, database_url, HandClock(), rate=rate) as (door,):
        request = wish(new_id(), user=ADA)
        run_id = await door.enter(ADA, request)
        assert await door.enter(ADA, request) == run_id


async def test_tokens_of_the_last_minute_keep_a_user_out_until_they_are_older(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    clock = HandClock(NOW + timedelta(seconds=30))
    rate = UserRate(tokens_per_minute=100)
    async with (
        spender(database, database_url, quotas_of({})) as one,
        doors(database, database_url, clock, rate=rate) as (door,),
    ):
        call = one.call(here, 60)
        await one.open(call, one.call(here, 40))
        assert (await door.refused(ADA)).extra["reason"] == "tokens"
        await one.settle((call, 59))
        await door.enter(ADA)
        clock.forward(60)
        await door.enter(ADA)


@pytest.mark.parametrize("scope", ["session", "user_day", "user_month", "deployment_day"])
async def test_a_spent_budget_keeps_a_turn_from_beginning(
    database: Database, database_url: str, scope: Any
) -> None:
    here = await spot(database)
    clock = HandClock(NOW)
    async with (
        spender(database, database_url, quotas_of({})) as one,
        doors(database, database_url, clock, quotas=quotas_of({scope: some(tokens=50)})) as (door,),
    ):
        call = one.call(here, 90)
        await one.open(call)
        await door.enter(ADA, wish(await new_session(database, ADA), user=ADA))
        await one.settle((call, 50))
        with pytest.raises(QuotaSpent) as spent:
            await door.enter(ADA, wish(here.session_id, user=ADA))
    error = spent.value
    assert (error.error_code, error.extra["scope"]) == ("budget_spent", scope)
    ((code, kept, detail),) = await refusals(database)
    assert (code, kept) == ("budget_spent", scope.partition("_")[0])
    assert (detail["limit"], detail["spent"], detail["measure"]) == ("50", "50", "tokens")
    assert (detail["resetsAt"] is None) == (scope == "session")
