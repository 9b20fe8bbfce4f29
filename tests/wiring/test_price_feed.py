"""Each process takes in what another one changed, and the last prices hold meanwhile."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from decimal import Decimal

import structlog

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import Unpriced
from callsheet.ledger.price.book import PriceBook
from callsheet.runs.worker_locks import WorkerLock
from callsheet.wiring.price_feed import EVERY_S, KNOWN_AFTER, PriceFeed, lead_of
from tests.fixtures.booked import change
from tests.ledger.prices import START

ADD = (
    "INSERT INTO llm_prices (factory, model_code, currency, effective, input_per_million, "
    "source) VALUES ('f', 'm', 'USD', '[2026-01-01,)', 1.5, 't')"
)


async def until_priced(book: PriceBook) -> Decimal:
    deadline = time.monotonic() + 10
    while True:
        try:
            return book.quote("f", "m", START).prices[0].input_per_million
        except Unpriced:
            assert time.monotonic() < deadline, "the price did not come"
            await asyncio.sleep(0.005)


async def test_a_change_by_whatever_means_arrives_in_every_process(database: Database) -> None:
    books = [PriceBook(), PriceBook()]
    feeds = [PriceFeed(database, book, every_s=0.01) for book in books]
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(feed.run()) for feed in feeds]
        await change(database, ADD, {})
        assert [await until_priced(book) for book in books] == [Decimal("1.5")] * 2
        for task in running:
            task.cancel()


async def test_a_look_at_what_is_known_changes_nothing(database: Database) -> None:
    await change(database, ADD, {})
    feed = PriceFeed(database, PriceBook())
    table = await feed.refresh()
    assert table is not None
    assert len(table.prices) == 1
    assert await feed.refresh() is None
    await change(database, "UPDATE llm_prices SET verified = true", {})
    assert await feed.refresh() is not None


async def test_while_the_database_is_away_the_last_prices_hold(database_url: str) -> None:
    working = Database.from_options(DatabaseOptions(database_url), pooled=False)
    await change(working, ADD, {})
    book = PriceBook()
    await PriceFeed(working, book).refresh()
    await working.close()
    away = Database.from_options(DatabaseOptions("postgresql://u:p@127.0.0.1:1/x"), pooled=False)
    deadline = time.monotonic() + 10
    with structlog.testing.capture_logs() as told:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(PriceFeed(away, book, every_s=0.001).run())
            while [line["event"] for line in told[:2]] != ["prices_not_read"] * 2:
                assert time.monotonic() < deadline, told
                await asyncio.sleep(0.005)
            running.cancel()
    assert await until_priced(book) == Decimal("1.5")


async def test_a_change_is_announced_as_long_as_others_need_to_hear_of_it(
    database: Database,
) -> None:
    assert await lead_of(database, own_processes=0) == timedelta(0)
    async with WorkerLock(database, "one"):
        assert await lead_of(database, own_processes=1) == timedelta(0)
        assert await lead_of(database, own_processes=0) == KNOWN_AFTER
        async with WorkerLock(database, "two"):
            assert await lead_of(database, own_processes=1) == KNOWN_AFTER


def test_a_look_comes_often_enough() -> None:
    assert timedelta(seconds=2 * EVERY_S) < KNOWN_AFTER == timedelta(seconds=10)
