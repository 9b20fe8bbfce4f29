"""A model can be billed when it has a price now that somebody compared."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.report.billing import billing_of
from tests.ledger.prices import START, price


def test_a_verified_price_is_all_that_is_needed() -> None:
    found = billing_of(PriceBook([price(verified=True)]), "f", "m", START)
    assert (found.priced, found.verified, found.detail) == (True, True, "")


def test_a_price_that_nobody_compared_is_not_enough() -> None:
    rows = [
        price(1, verified=True, tier_max_input=1000),
        price(2, verified=False, tier_min_input=1000),
    ]
    found = billing_of(PriceBook(rows), "f", "m", START)
    assert (found.priced, found.verified) == (True, False)
    assert "not compared" in found.detail


def test_a_price_of_another_time_is_none() -> None:
    book = PriceBook([price(verified=True)])
    found = billing_of(book, "f", "m", START - timedelta(days=1))
    assert (found.priced, found.verified) == (False, False)
    assert "callsheet prices set f/m" in found.detail


def test_a_model_that_is_let_through_without_a_price_is_not_priced() -> None:
    found = billing_of(PriceBook(allow_unpriced=True), "f", "m", START)
    assert (found.priced, found.verified) == (False, False)


def test_a_price_of_units_that_a_chat_does_not_count_is_none() -> None:
    found = billing_of(PriceBook([price(unit="second", per_unit=Decimal(1))]), "f", "m", START)
    assert (found.priced, found.verified) == (False, False)
    assert "priced per second" in found.detail


def test_a_free_model_is_priced_at_zero() -> None:
    free = price(
        input_per_million=Decimal(0), cached_per_million=Decimal(0), cache_write_per_million=None,
        output_per_million=Decimal(0), reasoning_per_million=None, verified=True,
    )  # fmt: skip
    assert billing_of(PriceBook([free]), "f", "m", START).verified
