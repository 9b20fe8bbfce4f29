"""A provider's rate is one for all processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from callsheet.db.driver_pool import DriverPool
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import RateLimited
from callsheet.ledger.rate.provider_rates import ProviderRates
from callsheet.ledger.rate.rates import ProviderRate
from tests.fakes.clock import HandClock
from tests.ledger.budget.spending import Spender, quotas_of, spender, spot
from tests.sessions.rows import rows

LONG = 1_000.0


class Process:
    """One process's rates; its waiting moves the clock on, and is counted."""

    def __init__(self, url: str, clock: HandClock, rate: ProviderRate) -> None:
        self.waits: list[float] = []
        self._clock = clock
        self.pool = DriverPool(DatabaseOptions(url), size=2)
        self.all_rates = ProviderRates(
            {"f": rate, "free": ProviderRate()}, lambda: self.pool, clock, self.wait
        )
        self.rates = self.all_rates.of_run(UUID(int=1), UUID(int=2))

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._clock.forward(seconds)
        await asyncio.sleep(0)

    async def take(self, tokens: int = 1, within_s: float = LONG, factory: str = "f") -> None:
        async with self.rates.turn(factory, tokens, Deadline.after(within_s)):
            pass


@asynccontextmanager
async def processes(
    url: str, clock: HandClock, rate: ProviderRate, number: int = 2
) -> AsyncIterator[list[Process]]:
    made = [Process(url, clock, rate) for _ in range(number)]
    try:
        yield made
    finally:
        for each in made:
            await each.pool.close()


async def test_requests_of_a_minute_are_counted_over_all_processes(
    database: Database, database_url: str
) -> None:
    clock = HandClock()
    rate = ProviderRate(requests_per_minute=3)
    async with processes(database_url, clock, rate) as (one, two):
        for each in (one, two, one):
            await each.take()
        assert one.waits == two.waits == []
        await two.take()
        (waited,) = two.waits
        assert 60 <= waited < 61
    assert await rows(
        database, "SELECT requests FROM rate_windows ORDER BY window_start"
    ) == [(3,), (1,)]  # fmt: skip


async def test_tokens_of_a_minute_are_counted_and_a_large_call_goes_alone(
    database: Database, database_url: str
) -> None:
    clock = HandClock()
    rate = ProviderRate(tokens_per_minute=100)
    async with processes(database_url, clock, rate) as (one, two):
        await one.take(tokens=60)
        await two.take(tokens=40)
        assert two.waits == []
        await one.take(tokens=1)
        assert len(one.waits) == 1
        await two.take(tokens=5000)
        assert len(two.waits) == 1


async def test_calls_under_way_are_the_open_rows_of_the_ledger(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    rate = ProviderRate(concurrent_calls=2)
    async with (
        spender(database, database_url, quotas_of({})) as one,
        processes(database_url, HandClock(), rate, number=1) as (process,),
    ):
        open_calls = [one.call(here, 10), one.call(here, 10)]
        for call in open_calls:
            async with process.rates.turn("f", 1, Deadline.after(LONG)):
                await one.open(call)
        assert process.waits == []

        async def ends() -> None:
            while not process.waits:
                await asyncio.sleep(0.001)
            await one.settle((open_calls[0], 5))

        async with asyncio.TaskGroup() as group:
            group.create_task(process.take())
            group.create_task(ends())
        assert process.waits


async def test_many_callers_in_many_processes_never_have_more_calls_open_than_they_may(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    rate = ProviderRate(concurrent_calls=3)
    most = 0

    async def ask(process: Process, writer: Spender) -> None:
        nonlocal most
        call = writer.call(here, 10)
        async with process.rates.turn("f", 1, Deadline.after(LONG)):
            await writer.open(call)
        ((under_way,),) = await rows(
            database, "SELECT count(*) FROM llm_calls WHERE status = 'open'"
        )
        most = max(most, under_way)
        await writer.settle((call, 5))

    async def work(process: Process) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(6):
                group.create_task(alone(process))

    async def alone(process: Process) -> None:
        async with spender(database, database_url, quotas_of({})) as writer:
            await ask(process, writer)

    async with spender(database, database_url, quotas_of({})):
        pass  # the price is there before the writers look for it
    async with (
        asyncio.timeout(60),
        processes(database_url, HandClock(), rate, number=4) as made,
        asyncio.TaskGroup() as group,
    ):
        for process in made:
            group.create_task(work(process))
    assert 0 < most <= 3
    assert await rows(database, "SELECT count(*) FROM llm_calls") == [(24,)]


async def test_a_call_that_was_not_opened_does_not_count(
    database: Database, database_url: str
) -> None:
    rate = ProviderRate(requests_per_minute=1)
    async with processes(database_url, HandClock(), rate, number=1) as (one,):
        with pytest.raises(ValueError, match="refused"):
            async with one.rates.turn("f", 1, Deadline.after(LONG)):
                raise ValueError("refused")
        await one.take()
        assert one.waits == []


async def test_a_call_without_time_to_wait_is_refused_and_that_is_written_down(
    database: Database, database_url: str
) -> None:
    here = await spot(database)
    clock = HandClock()
    rate = ProviderRate(requests_per_minute=1)
    async with processes(database_url, clock, rate, number=1) as (one,):
        one.rates = one.all_rates.of_run(here.user.user_id, here.run_id)
        await one.take()
        clock.forward(20)
        with pytest.raises(RateLimited) as limited:
            await one.take(within_s=30)
        assert one.waits == []
    told = {"scope": "provider", "factory": "f", "retry_after_s": 40}
    assert limited.value.extra == told
    assert await rows(
        database, "SELECT user_id, run_id, call_id, code, scope, detail FROM usage_refusals"
    ) == [(here.user.user_id, here.run_id, None, "rate_limited", "provider", told)]


async def test_waiting_ends_when_it_is_cancelled_and_the_next_one_in_line_gets_its_turn(
    database: Database, database_url: str
) -> None:
    pool = DriverPool(DatabaseOptions(database_url), size=2)
    waiting, never = asyncio.Event(), asyncio.Event()

    async def wait(seconds: float) -> None:
        waiting.set()
        await never.wait()

    clock = HandClock()
    rates = ProviderRates({"f": ProviderRate(requests_per_minute=1)}, lambda: pool, clock, wait)

    async def take() -> None:
        async with rates.turn("f", 1, Deadline.after(LONG)):
            pass

    await take()
    first = asyncio.ensure_future(take())
    await waiting.wait()
    second = asyncio.ensure_future(take())
    await asyncio.sleep(0)
    clock.forward(60)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await second
    await pool.close()
    assert await rows(database, "SELECT sum(requests) FROM rate_windows") == [(2,)]


async def test_a_factory_without_a_rate_needs_no_database() -> None:
    clock = HandClock()
    async with processes("postgresql://127.0.0.1:9/nowhere", clock, ProviderRate(), 1) as (one,):
        await one.take()
        await one.take(factory="free")
        await one.take(factory="unheard-of")


async def test_windows_that_are_over_are_removed(database: Database, database_url: str) -> None:
    clock = HandClock()
    async with processes(database_url, clock, ProviderRate(requests_per_minute=9), 1) as (one,):
        for _ in range(10):
            await one.take()
            clock.forward(60)
    ((kept,),) = await rows(database, "SELECT count(*) FROM rate_windows")
    assert kept <= 6
