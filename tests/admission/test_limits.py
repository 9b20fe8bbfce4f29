"""What is asked before a turn: rates, spent budgets, patience; one answer for all processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from callsheet.admission.admitted import AdmissionRequest
from callsheet.admission.limits import TurnLimits
from callsheet.auth.principal import Principal, principal_named
from callsheet.db.driver_pool import DriverPool
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import QuotaSpent, RateLimited, Refused
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.quotas import Quotas
from callsheet.ledger.rate.rates import UserRate
from tests.fakes.clock import HandClock
from tests.journal.stage import gate, remember, wish
from tests.ledger.budget.spending import NOW, quotas_of, some, spender, spot
from tests.sessions.rows import change, new_session, rows

ADA, EVE = principal_named("ada"), principal_named("eve")


class Door:
    """One process's limits before its gate."""

    def __init__(
        self, database: Database, url: str, clock: HandClock, quotas: Quotas, rate: UserRate
    ) -> None:
        self._database = database
        self.pool = DriverPool(DatabaseOptions(url), size=2)
        self.limits = TurnLimits(self.pool, quotas, rate, clock, "USD")

    async def enter(self, user: Principal, request: AdmissionRequest | None = None) -> UUID:
        """Let a turn in; its run."""
        request = request or wish(new_id(), user=user)
        async with self.limits.let_in(request):
            return (await gate(self._database).admit(request)).run_id

    async def refused(self, user: Principal) -> Refused:
        """The reason why a turn is not let in."""
        with pytest.raises(Refused) as caught:
            await self.enter(user)
        return caught.value


@asynccontextmanager
async def doors(
    database: Database,
    url: str,
    clock: HandClock,
    *,
    quotas: Quotas | None = None,
    rate: UserRate = UserRate(),  # noqa: B008 - frozen
    number: int = 1,
) -> AsyncIterator[list[Door]]:
    for user in (ADA, EVE):
        await remember(database, user)
    made = [Door(database, url, clock, quotas or quotas_of({}), rate) for _ in range(number)]
    try:
        yield made
    finally:
        for door in made:
            await door.pool.close()


async def end(database: Database, run_id: UUID, status: str, clock: HandClock) -> None:
    await change(
        database,
        "UPDATE runs SET status = :status, finished_at = :at WHERE id = :id",
        status=status, id=run_id, at=clock.now(),
    )  # fmt: skip


async def refusals(database: Database) -> list[tuple[Any, ...]]:
    return await rows(database, "SELECT code, scope, detail FROM usage_refusals ORDER BY at")


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


async def spend_on_failures(
    database: Database, clock: HandClock, door: Door, number: int, user: Principal = ADA
) -> None:
    for _ in range(number):
        run_id = await door.enter(user)
        await end(database, run_id, "failed", clock)
        await change(
            database, "UPDATE sessions SET last_activity_at = :at WHERE user_id = :user",
            at=clock.now() + timedelta(seconds=1), user=user.user_id,
        )  # fmt: skip
        door.limits.note_trouble(user.user_id)


async def test_a_user_whose_turns_fail_again_and_again_waits_ever_longer_and_nobody_else_does(
    database: Database, database_url: str
) -> None:
    clock = HandClock()
    async with doors(database, database_url, clock) as (door,):
        await spend_on_failures(database, clock, door, 5)
        waits = []
        for _ in range(3):
            refused = await door.refused(ADA)
            assert refused.extra["reason"] == "slow_down"
            waits.append(refused.extra["retry_after_s"])
            await door.enter(EVE)
            clock.forward(waits[-1])
            await spend_on_failures(database, clock, door, 1)
        assert waits == [1, 2, 4]
        clock.forward(301)
        await door.enter(ADA)
    kept = await refusals(database)
    assert [(code, detail["troubles"]) for code, _, detail in kept] == [
        ("rate_limited", 5), ("rate_limited", 6), ("rate_limited", 7),
    ]  # fmt: skip


async def test_who_does_not_wait_is_counted_and_waits_no_longer_for_it(
    database: Database, database_url: str
) -> None:
    clock = HandClock()
    async with doors(database, database_url, clock) as (door,):
        await spend_on_failures(database, clock, door, 5)
        clock.forward(1)
        await spend_on_failures(database, clock, door, 1)
        for _ in range(4):
            assert (await door.refused(ADA)).extra["retry_after_s"] == 2
        clock.forward(2)
        await spend_on_failures(database, clock, door, 1)
        await door.refused(ADA)
    kept = [detail for _, _, detail in await refusals(database)]
    assert [(detail["troubles"], detail["turnedAway"]) for detail in kept] == [(6, 0), (7, 3)]


async def test_troubles_in_another_process_count_once_this_one_has_a_reason_to_look(
    database: Database, database_url: str
) -> None:
    clock = HandClock()
    async with doors(database, database_url, clock, number=2) as (one, two):
        await spend_on_failures(database, clock, one, 5)
        await spend_on_failures(database, clock, two, 1)
        assert (await two.refused(ADA)).extra["reason"] == "slow_down"


async def test_refusals_are_troubles_too(database: Database, database_url: str) -> None:
    clock = HandClock()
    rate = UserRate(requests_per_minute=1)
    async with doors(database, database_url, clock, rate=rate) as (door,):
        await door.enter(ADA)
        reasons = [(await door.refused(ADA)).extra["reason"] for _ in range(6)]
    assert reasons == ["requests"] * 5 + ["slow_down"]
