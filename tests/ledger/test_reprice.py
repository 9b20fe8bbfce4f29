"""Calls under other prices: the right row for each, and nothing that is not known."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from callsheet.db.transaction import Database
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.store import load_price_table
from callsheet.ledger.price.window import PriceWindow
from callsheet.ledger.report.ask import Filters
from callsheet.ledger.report.period import Period
from callsheet.ledger.reprice import EndedCall, Repriced, Repricing, book_as_of, ended_calls
from tests.ledger.prices import price
from tests.ledger.report.calls import (
    NOON,
    add_call,
    add_estimated,
    add_open,
    add_price,
    add_unpriced,
    run,
)
from tests.sessions.rows import rows

NOVEMBER = Period(date(2026, 11, 1), date(2026, 11, 30), ZoneInfo("UTC"))
DECEMBER_1 = datetime(2026, 12, 1, tzinfo=UTC)


def flat(number: int = 1, *, per_million: int = 1, **changes: Any) -> Price:
    """A price of f/m where every token costs the same."""
    values = {
        name: Decimal(per_million)
        for name in ("input_per_million", "cached_per_million", "output_per_million")
    }
    return price(
        number, **values, cache_write_per_million=None, reasoning_per_million=None, **changes
    )


def call(
    tokens: int = 1_000_000,
    booked: str | None = "5",
    at: datetime = NOON,
    unit: str = "token",
    **metered: Any,
) -> EndedCall:
    values = {"usage": Usage(input_tokens=tokens), "source": "provider", **metered}
    cost, of = (None, None) if booked is None else (Decimal(booked), unit)
    return EndedCall("f", "m", at, MeteredUsage(**values), cost, of)


def repriced(
    calls: list[EndedCall],
    prices: list[Price],
    windows: tuple[PriceWindow, ...] = (),
    rates: tuple[FxRate, ...] = (),
) -> Repriced:
    repricing = Repricing(book_as_of(prices, windows, rates, DECEMBER_1, "USD"))
    repricing.add(calls)
    (only,) = repricing.models
    return only


def test_the_rows_of_that_day_hold_for_calls_of_any_day() -> None:
    prices = [
        flat(1, per_million=5, valid_to=DECEMBER_1),
        flat(2, per_million=4, valid_from=DECEMBER_1, valid_to=DECEMBER_1 + timedelta(days=1)),
        flat(3, per_million=9, valid_from=DECEMBER_1 + timedelta(days=1)),
    ]
    found = repriced([call(), call(500_000, "2.5")], prices)
    assert (found.calls, found.booked, found.would) == (2, Decimal("7.5"), Decimal(6))
    assert (found.difference, found.percent) == (Decimal("-1.5"), Decimal(-20))


def test_tiers_are_judged_by_each_calls_size() -> None:
    prices = [
        flat(1, per_million=1, tier_max_input=1000),
        flat(2, per_million=10, tier_min_input=1000),
    ]
    assert repriced([call(1000), call(1001)], prices).would == Decimal("0.011010")


def test_windows_are_judged_by_each_calls_start() -> None:
    night = PriceWindow("night", ZoneInfo("UTC"), frozenset(range(1, 8)), time(0), time(6))
    prices = [flat(1, per_million=2), flat(2, per_million=1, window_code="night")]
    at_three = NOON.replace(hour=3)
    assert repriced([call(), call(at=at_three)], prices, (night,)).would == Decimal(3)


def test_the_rate_is_that_of_the_calls_start_or_the_first_there_is() -> None:
    prices = [flat(currency="CNY")]
    rates = (
        FxRate("CNY", "USD", Decimal("0.1"), NOON),
        FxRate("CNY", "USD", Decimal("0.2"), NOON + timedelta(hours=1)),
    )
    for at, would in (
        (NOON - timedelta(days=300), "0.1"),
        (NOON, "0.1"),
        (NOON + timedelta(hours=1), "0.2"),
    ):
        assert repriced([call(at=at)], prices, rates=rates).would == Decimal(would)


def test_what_has_no_price_there_is_in_no_sum() -> None:
    later = flat(valid_from=DECEMBER_1 + timedelta(days=1))
    found = repriced([call(), call()], [later])
    assert (found.without, found.without_booked) == (2, Decimal(10))
    assert (found.booked, found.would) == (Decimal(0), Decimal(0))
    assert found.percent is None


def test_a_price_per_second_is_no_price_for_tokens() -> None:
    per_second = flat(unit="second", per_unit=Decimal("0.01"))
    spoken = call(0, "1", unit="second", units=Decimal(30))
    found = repriced([call(), spoken], [per_second])
    assert (found.without, found.booked, found.would) == (1, Decimal(1), Decimal("0.3"))
    assert repriced([spoken], [flat()]).without == 1
    drawn = call(0, "1", unit="image", units=Decimal(30))
    assert repriced([drawn], [per_second]).without == 1


def test_under_a_price_per_request_every_call_is_one() -> None:
    per_request = flat(unit="request", per_unit=Decimal("0.01"))
    calls = [
        call(),
        call(0, "1", unit="second", units=Decimal(30)),
        call(0, "1", unit="request", units=Decimal(2)),
        call(0, "0", source="none"),
    ]
    found = repriced(calls, [per_request])
    assert (found.without, found.would) == (0, Decimal("0.04"))


def test_a_call_that_was_booked_without_a_price_is_told_apart() -> None:
    found = repriced([call(booked=None), call()], [flat(per_million=5)])
    assert (found.calls, found.unpriced, found.unpriced_would) == (2, 1, Decimal(5))
    assert (found.booked, found.would) == (Decimal(5), Decimal(5))
    unknown = repriced([call(booked=None)], [flat(valid_to=NOON)])
    assert (unknown.unpriced, unknown.without, unknown.unpriced_would) == (1, 1, Decimal(0))


async def test_under_their_own_prices_calls_cost_what_is_booked(database: Database) -> None:
    await add_price(database)
    for minute in range(5):
        await add_call(database, started_at=NOON + timedelta(minutes=minute))
    await add_estimated(database)
    await add_open(database)
    await add_unpriced(database)
    await add_call(database, started_at=NOON + timedelta(days=1))
    before = await rows(database, "SELECT * FROM llm_calls ORDER BY id")
    parts = []
    async with database.read() as tx:
        table = await load_price_table(tx)
        repricing = Repricing(
            book_as_of(table.prices, table.windows, table.rates, DECEMBER_1, "USD")
        )
        async for calls in ended_calls(tx, NOVEMBER, Filters(), batch=4):
            parts.append(len(calls))
            repricing.add(calls)
    assert parts == [4, 3]
    unpriced, priced = repricing.models
    assert (priced.calls, priced.booked, priced.would) == (6, Decimal("0.012"), Decimal("0.012"))
    assert (unpriced.model_code, unpriced.unpriced, unpriced.without) == ("free-for-now", 1, 1)
    assert await rows(database, "SELECT * FROM llm_calls ORDER BY id") == before


async def test_explicit_cache_and_units_come_from_the_row(database: Database) -> None:
    id_ = await add_call(database, cached_tokens=500)
    await run(
        database,
        "UPDATE llm_calls SET cache_type = 'explicit', units = 7.5 WHERE id = :id",
        id=id_,
    )
    async with database.read() as tx:
        found = [call async for calls in ended_calls(tx, NOVEMBER, Filters()) for call in calls]
    assert [(each.metered.cache_type, each.metered.units, each.unit) for each in found] == [
        ("explicit", Decimal("7.5"), "token")
    ]
