"""Prices, windows and rates are read as they are stored, and every change is noticed."""

from __future__ import annotations

from datetime import time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.store import load_price_table, load_prices, prices_version
from callsheet.ledger.price.window import PriceWindow
from tests.fixtures.booked import change
from tests.ledger.prices import START, price

LATER = START + timedelta(days=90)
ADD = (
    "INSERT INTO llm_prices (factory, model_code, currency, effective, input_per_million, "
    "cached_per_million, cache_write_per_million, output_per_million, source, unit, window_code, "
    "tier_min_input, per_unit) VALUES (:factory, 'm', 'USD', "
    "CAST(CAST(:effective AS text) AS tstzrange), 1.5, 0.1, NULL, 3, 't', :unit, :window, :tier, "
    "CAST(CAST(:per_unit AS text) AS numeric))"
)


async def add(database: Database, factory: str, effective: str, **more: object) -> None:
    values = {"unit": "token", "window": "any", "tier": 0, "per_unit": None, **more}
    await change(database, ADD, {"factory": factory, "effective": effective, **values})


async def test_prices_are_read_with_their_open_ends(database: Database) -> None:
    await add(database, "open", "[,)")
    await add(database, "endless", "[-infinity,infinity)")
    await add(database, "dated", f"[{START.isoformat()},{LATER.isoformat()})")
    async with database.read() as tx:
        found = {row.factory: row for row in await load_prices(tx)}
    assert {name: (row.valid_from, row.valid_to) for name, row in found.items()} == {
        "open": (None, None),
        "endless": (None, None),
        "dated": (START, LATER),
    }
    dated = found["dated"]
    assert dated == price(
        valid_to=LATER,
        factory="dated",
        input_per_million=Decimal("1.5"),
        cached_per_million=Decimal("0.1"),
        cache_write_per_million=None,
        output_per_million=Decimal(3),
        reasoning_per_million=None,
        number=dated.id.int,
        source="t",
    )
    assert PriceBook(found.values()).quote("endless", "m", START).prices[0].factory == "endless"


async def test_prices_by_the_piece_the_hour_and_the_size_are_read_as_they_are(
    database: Database,
) -> None:
    await add(database, "piece", "[,)", unit="image", per_unit="0.01")
    await add(database, "hour", "[,)", window="peak")
    await add(database, "tiered", "[,)", tier=128_000)
    await change(
        database,
        "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
        "VALUES ('peak', 'Asia/Shanghai', ARRAY[1, 5], '08:30', '00:00')",
        {},
    )
    await change(
        database,
        "INSERT INTO fx_rates (base, quote, rate, valid_from, source) "
        "VALUES ('CNY', 'USD', 0.1389, '2026-01-01Z', 'a bank')",
        {},
    )
    async with database.read() as tx:
        table = await load_price_table(tx)
    found = {row.factory: row for row in table.prices}
    assert (found["piece"].unit, found["piece"].per_unit) == ("image", Decimal("0.01"))
    assert found["hour"].window_code == "peak"
    assert (found["tiered"].tier_min_input, found["tiered"].tier_max_input) == (128_000, None)
    shanghai = ZoneInfo("Asia/Shanghai")
    peak = PriceWindow("peak", shanghai, frozenset({1, 5}), time(8, 30), time(0))
    assert table.windows == (peak,)
    assert table.rates == (FxRate("CNY", "USD", Decimal("0.1389"), START, "a bank"),)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE llm_prices SET verified = true",
        "UPDATE llm_prices SET effective = tstzrange(lower(effective), '2026-06-01')",
        "DELETE FROM llm_prices",
        "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
        "VALUES ('peak', 'UTC', ARRAY[1], '08:30', '12:00')",
        "INSERT INTO fx_rates (base, quote, rate, valid_from, source) "
        "VALUES ('CNY', 'USD', 0.14, now(), 'a bank')",
    ],
)
async def test_every_change_of_a_price_is_another_version(
    database: Database, statement: str
) -> None:
    await add(database, "f", "[2026-01-01,)")
    before = await version(database)
    assert await version(database) == before
    await change(database, statement, {})
    assert await version(database) != before


async def test_a_time_zone_that_nobody_knows_is_named(database: Database) -> None:
    await change(
        database,
        "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
        "VALUES ('peak', 'Asia/Bejing', ARRAY[1], '08:30', '12:00')",
        {},
    )
    async with database.read() as tx:
        with pytest.raises(SetupError, match="Asia/Bejing"):
            await load_price_table(tx)


async def version(database: Database) -> str:
    async with database.read() as tx:
        return await prices_version(tx)
