"""A user whose turns fail or are refused again and again waits; nobody else does."""

from __future__ import annotations

from datetime import timedelta

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Database
from callsheet.ledger.rate.rates import UserRate
from tests.admission.doors import ADA, EVE, Door, doors, end, refusals
from tests.fakes.clock import HandClock
from tests.sessions.rows import change


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
