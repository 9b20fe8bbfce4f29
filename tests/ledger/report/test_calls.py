"""Single calls: all of them, in order, without holding them."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from callsheet.auth.principal import user_id_of
from callsheet.db.transaction import Database
from callsheet.kit.errors import BadInput
from callsheet.kit.pages import PageRequest
from callsheet.ledger.report.ask import Filters
from callsheet.ledger.report.calls import (
    CALL_COLUMNS,
    Call,
    calls_after,
    count_calls,
    recent_calls,
    stream_calls,
)
from callsheet.ledger.report.period import Period
from tests.ledger.report.calls import (
    NOON,
    add_call,
    add_estimated,
    add_open,
    add_run,
    add_unpriced,
    run,
)

MONDAY = Period(date(2026, 11, 30), date(2026, 11, 30), ZoneInfo("UTC"))


async def many(database: Database, count: int) -> None:
    """That many calls, two of them in each second."""
    first = await add_call(database)
    await run(
        database,
        "INSERT INTO llm_calls (idempotency_key, user_id, purpose, factory, model_code, price_id, "
        "status, usage_source, raw_usage, price_currency, currency, started_at, settled_at) "
        "SELECT 'n' || n, user_id, purpose, factory, model_code, price_id, status, usage_source, "
        "raw_usage, price_currency, currency, started_at + (n / 2) * interval '1 s', settled_at "
        "FROM llm_calls, generate_series(1, :more) n WHERE id = :first",
        more=count - 1,
        first=first,
    )


async def test_a_call_tells_all_that_the_ledger_has(database: Database) -> None:
    of = await add_run(database, "ada")
    id_ = await add_call(database, of=of, stage="intent", agent="router", upstream_id="up-1")
    async with database.read() as tx:
        (call,) = await calls_after(tx, MONDAY, Filters(), None, 10)
    assert call == Call(
        id=str(id_),
        started_at=NOON,
        settled_at=NOON,
        user="ada",
        session_id=str(of[0]),
        run_id=str(of[1]),
        message_id=str(of[2]),
        workflow="chat",
        purpose="answer",
        stage="intent",
        agent="router",
        tool=None,
        attempt=1,
        factory="f",
        model="m",
        response_model=None,
        upstream_id="up-1",
        status="settled",
        usage_source="provider",
        usage_method=None,
        unpriced=False,
        input_tokens=1000,
        cached_tokens=0,
        cache_write_tokens=0,
        output_tokens=500,
        reasoning_tokens=0,
        cache_type=None,
        units=Decimal(0),
        price_id=str(UUID(int=77)),
        price_currency="USD",
        cost_native=Decimal("0.002"),
        fx_rate=Decimal(1),
        cost=Decimal("0.002"),
        currency="USD",
        reserved_cost=Decimal(0),
        error_code=None,
    )


async def test_the_cost_of_an_open_and_of_an_unpriced_call_is_not_known(database: Database) -> None:
    await add_open(database)
    await add_unpriced(database, started_at=NOON + timedelta(seconds=1))
    await add_estimated(database, started_at=NOON + timedelta(seconds=2))
    async with database.read() as tx:
        found = await calls_after(tx, MONDAY, Filters(), None, 10)
    assert [(each.cost, each.cost_native) for each in found] == [
        (None, None),
        (None, None),
        (Decimal("0.002"), Decimal("0.002")),
    ]


async def test_the_stream_gives_every_call_in_parts(database: Database) -> None:
    await many(database, 50)
    await add_call(database, "bob")
    filters = Filters(user_id=user_id_of("ada"))
    async with database.read() as tx:
        parts = [list(part) async for part in stream_calls(tx, MONDAY, filters, 20)]
        assert await count_calls(tx, MONDAY, filters) == 50
    assert [len(part) for part in parts] == [20, 20, 10]
    assert len({row[0] for part in parts for row in part}) == 50
    assert all(len(row) == len(CALL_COLUMNS) for part in parts for row in part)


async def test_pages_give_every_call_once_also_in_one_moment(database: Database) -> None:
    await many(database, 25)
    seen: list[Call] = []
    after = None
    async with database.read() as tx:
        while page := await calls_after(tx, MONDAY, Filters(), after, 7):
            seen += page
            after = (page[-1].started_at, page[-1].id)
        everything = await calls_after(tx, MONDAY, Filters(), None, 100)
    assert seen == everything
    assert len({each.id for each in seen}) == 25


async def test_recent_calls_are_the_users_own_newest_first(database: Database) -> None:
    await many(database, 25)
    await add_call(database, "bob")
    me = user_id_of("ada")
    seen: list[Call] = []
    request = PageRequest(limit=10)
    async with database.read() as tx:
        while True:
            page = await recent_calls(tx, me, request)
            seen += page.items
            if page.next_cursor is None:
                break
            request = PageRequest(limit=10, cursor=page.next_cursor)
        with pytest.raises(BadInput):
            await recent_calls(tx, me, PageRequest(cursor="made-up"))
    assert len({each.id for each in seen}) == 25
    assert [each.started_at for each in seen] == sorted(
        (each.started_at for each in seen), reverse=True
    )
    assert {each.user for each in seen} == {"ada"}
