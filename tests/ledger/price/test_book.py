"""The price of a model is the one of the moment, and without one nothing is called."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import structlog

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.errors import Unpriced
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.quote import Cost
from callsheet.ledger.price.window import PriceWindow
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


def tiered(number: int, low: int, high: int | None, **changes: Any) -> Price:
    return price(number, tier_min_input=low, tier_max_input=high, **changes)


NIGHT = PriceWindow("night", ZoneInfo("UTC"), frozenset(range(1, 8)), time(22), time(6))
EVENING, NOON = START + timedelta(hours=22), START + timedelta(hours=12)


def test_all_tiers_of_the_moment_are_in_the_quote_in_order() -> None:
    rows = [tiered(2, 32_000, None), tiered(1, 0, 32_000), price(3, model_code="n")]
    quote = PriceBook(rows).quote("f", "m", START)
    assert [row.id.int for row in quote.prices] == [1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        [tiered(1, 0, 32_000)],
        [tiered(1, 32_000, None)],
        [tiered(1, 0, 32_000), tiered(2, 64_000, None)],
    ],
)
def test_tiers_that_leave_a_size_out_are_no_price(rows: list[Price]) -> None:
    with pytest.raises(Unpriced, match=r"no price for some sizes.*callsheet prices set f/m"):
        PriceBook(rows).quote("f", "m", START)


def test_a_window_that_is_open_goes_before_any_time() -> None:
    book = PriceBook()
    book.replace([price(1), price(2, window_code="night")], [NIGHT])
    moments = (NOON, EVENING - TICK, EVENING, EVENING + timedelta(hours=8) - TICK, EVENING)
    firsts = [book.quote("f", "m", moment).prices[0].id.int for moment in moments]
    assert firsts == [1, 1, 2, 2, 2]
    assert book.quote("f", "m", EVENING + timedelta(hours=8)).prices[0].id.int == 1


def test_a_window_alone_is_no_price_while_it_is_shut_or_unknown() -> None:
    book = PriceBook()
    book.replace([price(2, window_code="night")], [NIGHT])
    assert book.quote("f", "m", EVENING).prices[0].id.int == 2
    with pytest.raises(Unpriced, match="valid now"):
        book.quote("f", "m", NOON)
    book.replace([price(2, window_code="nigth")], [NIGHT])
    with pytest.raises(Unpriced, match="valid now"):
        book.quote("f", "m", EVENING)


def test_a_price_has_one_unit_at_a_time() -> None:
    per_second = price(2, unit="second", per_unit=Decimal(1))
    with pytest.raises(Unpriced, match="several units"):
        PriceBook([price(1), per_second]).quote("f", "m", START)


CNY = price(1, currency="CNY")
RATES = [
    FxRate("CNY", "USD", Decimal("0.14"), LATER),
    FxRate("CNY", "USD", Decimal("0.1389"), START),
    FxRate("USD", "CNY", Decimal(7), START - timedelta(days=99)),
    FxRate("CNY", "EUR", Decimal("0.12"), START - timedelta(days=99)),
]


@pytest.mark.parametrize(
    ("moment", "rate"), [(START, "0.1389"), (LATER - TICK, "0.1389"), (LATER, "0.14")]
)
def test_the_rate_is_the_one_in_force_when_the_request_starts(moment: datetime, rate: str) -> None:
    book = PriceBook(currency="USD")
    book.replace([CNY], (), RATES)
    book.quote("f", "m", START)
    quote = book.quote("f", "m", moment)
    assert (quote.price_currency, quote.currency, quote.fx_rate) == ("CNY", "USD", Decimal(rate))


def test_a_price_in_a_currency_without_a_rate_is_as_none() -> None:
    book = PriceBook([CNY])
    with pytest.raises(Unpriced, match=r"priced in CNY.*callsheet prices fx set CNY USD <rate>"):
        book.quote("f", "m", START)
    book.replace([price(1, currency="CNY", valid_from=None)], (), RATES)
    with pytest.raises(Unpriced, match="callsheet prices fx set"):
        book.quote("f", "m", START - TICK)


def test_the_accounting_currency_needs_no_rate() -> None:
    quote = PriceBook([CNY], currency="CNY").quote("f", "m", START)
    assert (quote.price_currency, quote.currency, quote.fx_rate) == ("CNY", "CNY", Decimal(1))


def test_a_model_without_a_price_costs_nothing_where_that_is_allowed_and_is_told_once() -> None:
    book = PriceBook([CNY], currency="USD", allow_unpriced=True)
    usage = Usage(input_tokens=100, output_tokens=10)
    with structlog.testing.capture_logs() as told:
        for code in ("m", "m", "n"):
            quote = book.quote("f", code, START)
            assert (quote.prices, quote.price_currency, quote.fx_rate) == ((), "USD", Decimal(1))
            nothing = Cost(None, Decimal(0), Decimal(0))
            assert quote.reserve(usage) == nothing
            assert quote.cost(MeteredUsage(usage=usage, source="provider")) == nothing
    assert [(line["event"], line["model"]) for line in told] == [
        ("model_unpriced", "m"),
        ("model_unpriced", "n"),
    ]
    assert "CNY" in told[0]["detail"]
