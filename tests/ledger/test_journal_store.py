"""The ledger's only writer: each call opened and settled once, sums equal at every commit."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.usage import Usage
from callsheet.kit.ids import new_id
from callsheet.ledger.journal_store import open_calls
from callsheet.sessions.journal_store import add_messages
from tests.ledger.bookings import (
    Booking,
    assert_sound,
    booking,
    open_,
    run_of,
    settle,
    the_price,
    totals,
    used,
)
from tests.sessions.rows import new_session, rows, say


@pytest.fixture
async def one(database: Database) -> Booking:
    """A call of 100 and 20 tokens: 70 x 1 + 30 x 0.1 + 20 x 3 millionths."""
    session_id = await new_session(database)
    await say(database, session_id, "Hello")
    usage = Usage(input_tokens=100, cached_tokens=30, output_tokens=20, reasoning_tokens=5)
    return booking(session_id, await run_of(database, session_id), await the_price(database), usage)


@pytest.fixture
async def driver(database_url: str) -> Any:
    connection = DriverConnection(DatabaseOptions(database_url))
    yield connection
    await connection.close()


async def test_an_open_call_reserves_and_counts_nothing_yet(
    database: Database, driver: DriverConnection, one: Booking
) -> None:
    await open_(driver, one)
    assert await rows(
        database,
        "SELECT status, reserved_cost, cost_exact, settled_at, price_currency, message_id::text, "
        "idempotency_key FROM llm_calls",
    ) == [
        ("open", Decimal("0.5"), Decimal(0), None, "USD", one.opened.message_id,
         f"{one.opened.run_id}:{one.opened.id}")
    ]  # fmt: skip
    assert await totals(database) == [(0, Decimal(0))]
    await assert_sound(database)


async def test_a_settled_call_is_on_its_message_and_its_session(
    database: Database, driver: DriverConnection, one: Booking
) -> None:
    await open_(driver, one)
    await settle(driver, one.settled)
    assert await rows(
        database,
        "SELECT status, usage_source, input_tokens, cached_tokens, output_tokens, "
        "reasoning_tokens, cost_exact, reserved_cost, finish_reason, upstream_id, response_model, "
        "raw_usage, settled_at IS NOT NULL FROM llm_calls",
    ) == [
        ("settled", "provider", 100, 30, 20, 5, Decimal("0.000133"), 0, "stop", "up-1", "m-2026",
         {"prompt_tokens": 1, "weird": "世界"}, True)
    ]  # fmt: skip
    assert await rows(
        database,
        "SELECT input_tokens, output_tokens, cost, latency_ms FROM messages WHERE seq = 2",
    ) == [(100, 20, Decimal("0.000133"), 12)]
    assert await totals(database) == [(120, Decimal("0.000133"))]
    await assert_sound(database)


async def test_opening_and_settling_again_changes_nothing(
    database: Database, driver: DriverConnection, one: Booking
) -> None:
    await open_(driver, one)
    await open_(driver, one)
    await settle(driver, one.settled)
    await open_(driver, one)
    await settle(driver, one.settled)
    dearer = replace(
        one.settled, status="failed", metered=used(Usage(input_tokens=9999)), cost_exact=Decimal(9)
    )
    await settle(driver, dearer)
    assert await rows(database, "SELECT status, input_tokens FROM llm_calls") == [("settled", 100)]
    assert await totals(database) == [(120, Decimal("0.000133"))]
    await assert_sound(database)


async def test_attempts_of_one_answer_add_up_on_its_message_rounded_once(
    database: Database, driver: DriverConnection, one: Booking
) -> None:
    """Three times 0.4 millionths are 1.2, not three times nothing."""
    usage = Usage(input_tokens=4, cached_tokens=4)
    attempts = []
    for number in (1, 2, 3):
        call_id = str(new_id())
        cost = Decimal("0.0000004")
        attempts.append(
            (
                replace(one.opened, id=call_id, attempt=number),
                replace(
                    one.settled, id=call_id, metered=used(usage), cost_exact=cost, cost_native=cost,
                    status="failed" if number < 3 else "settled",
                ),
            )
        )  # fmt: skip
    async with driver.transaction() as tx:
        await add_messages(tx, [one.message], "USD")
        await open_calls(tx, [opened for opened, _ in attempts], "UTC")
    await settle(driver, attempts[0][1])
    assert await totals(database) == [(4, Decimal(0))]
    await settle(driver, attempts[1][1], attempts[2][1])
    assert await totals(database) == [(12, Decimal("0.000001"))]
    await assert_sound(database)


async def test_half_a_millionth_is_rounded_up(
    database: Database, driver: DriverConnection, one: Booking
) -> None:
    half = Decimal("0.0000005")
    usage = Usage(input_tokens=5, cached_tokens=5)
    await open_(driver, one)
    await settle(
        driver, replace(one.settled, metered=used(usage), cost_exact=half, cost_native=half)
    )
    assert await totals(database) == [(5, Decimal("0.000001"))]
    await assert_sound(database)


async def test_writers_of_many_processes_over_the_same_sessions_stay_exact(
    database: Database, database_url: str
) -> None:
    """Eight writers, six sessions, batches over several sessions in any order: no deadlock."""
    priced = await the_price(database)
    sessions = [await new_session(database) for _ in range(6)]
    runs = {session_id: await run_of(database, session_id) for session_id in sessions}

    async def write(seed: int) -> int:
        chance = random.Random(seed)
        driver = DriverConnection(DatabaseOptions(database_url))
        tokens = 0
        for _ in range(6):
            batch = [
                booking(
                    session_id,
                    runs[session_id],
                    priced,
                    Usage(input_tokens=chance.randint(1, 999), output_tokens=chance.randint(0, 99)),
                )
                for session_id in chance.choices(sessions, k=chance.randint(1, 5))
            ]
            await open_(driver, *batch)
            chance.shuffle(batch)
            await settle(driver, *[b.settled for b in batch])
            tokens += sum(b.settled.metered.usage.total_tokens for b in batch)
        await driver.close()
        return tokens

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        writers = [group.create_task(write(seed)) for seed in range(8)]
        for _ in range(5):
            await assert_sound(database)
    await assert_sound(database)
    assert await rows(database, "SELECT sum(total_tokens) FROM sessions") == [
        (sum(writer.result() for writer in writers),)
    ]
    assert await rows(
        database,
        "SELECT count(*) FROM (SELECT max(seq) <> count(*) AS gap FROM messages GROUP BY "
        "session_id) s WHERE gap",
    ) == [(0,)]
