"""The price of a model is the one of the moment, and without one nothing is called."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.errors import Unpriced
from callsheet.ledger.price_book import PriceBook
from callsheet.ledger.price_store import load_prices
from tests.fixtures.booked import change
from tests.ledger.prices import START, price

TICK = timedelta(microseconds=1)
LATER = START + timedelta(days=90)
OLD, NEW = price(1, valid_to=LATER), price(2, valid_from=LATER)


@pytest.mark.parametrize(
    ("moment", "number"),
    [(START, 1), (LATER - TICK, 1), (LATER, 2), (LATER + timedelta(days=9999), 2)],
)
def test_a_price_holds_from_its_first_moment_to_the_next_ones(
    moment: datetime, number: int
) -> None:
    assert PriceBook([NEW, OLD]).quote("f", "m", moment).prices[0].id.int == number


def test_before_the_first_price_there_is_none() -> None:
    with pytest.raises(Unpriced):
        PriceBook([OLD, NEW]).quote("f", "m", START - TICK)


def test_a_price_without_ends_holds_always() -> None:
    always = price(valid_from=None)
    assert PriceBook([always]).quote("f", "m", START - timedelta(days=9999)).prices == (always,)


@pytest.mark.parametrize(("factory", "model"), [("f", "other"), ("other", "m"), ("m", "f")])
def test_a_price_is_one_models_of_one_factory(factory: str, model: str) -> None:
    with pytest.raises(Unpriced) as refused:
        PriceBook([OLD]).quote(factory, model, START)
    assert refused.value.extra == {"model": model, "factory": factory}
    assert "config/llm_prices.yaml" in str(refused.value)


def test_new_prices_take_the_place_of_all_before() -> None:
    book = PriceBook([OLD])
    book.replace([price(3, model_code="n")])
    assert book.quote("f", "n", START).prices[0].id.int == 3
    with pytest.raises(Unpriced):
        book.quote("f", "m", START)


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
    )
    assert PriceBook(found.values()).quote("endless", "m", START).prices[0].factory == "endless"


async def test_prices_by_the_piece_the_hour_or_the_size_are_not_prices_per_token(
    database: Database,
) -> None:
    await add(database, "piece", "[,)", unit="image", per_unit="0.01")
    await add(database, "hour", "[,)", window="peak")
    await add(database, "tiered", "[,)", tier=128_000)
    async with database.read() as tx:
        assert await load_prices(tx) == []
