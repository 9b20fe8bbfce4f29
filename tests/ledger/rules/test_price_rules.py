"""The ways in which others' cost goes wrong while usage is priced, each with the rule it needs.

The numbers are those of the list of 25 failures that the ledger is built against.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy.exc import DBAPIError

from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_change import change_price
from callsheet.db.transaction import Database
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.errors import SetupError, Unpriced
from callsheet.kit.money import to_message
from callsheet.ledger.audit.audit import run_audit
from callsheet.ledger.currency import check_currency
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.store import load_price_table
from callsheet.turn.meter import CallEnd
from callsheet.turn.run_meter import RunMeter
from tests.fakes.clock import HandClock
from tests.fixtures.booked import book_turns, change
from tests.ledger.prices import START, price
from tests.sessions.rows import rows
from tests.turn.scripted import MemoryLog
from tests.turn.test_engine import CALL


def used(**tokens: int) -> MeteredUsage:
    return MeteredUsage(usage=Usage(**tokens), source="provider")


async def test_rule_12_what_was_booked_is_never_priced_by_a_later_list(database: Database) -> None:
    await book_turns(database)
    ledger = "SELECT id, price_id, cost_native, cost_exact FROM llm_calls ORDER BY id"
    before = await rows(database, ledger)
    now = datetime.now(UTC) + timedelta(seconds=1)
    entry = PriceEntry(
        factory="qwen",
        model_code="qwen3.5-flash",
        currency="USD",
        valid_from=now,
        source="list of today",
        input_per_million=Decimal(99),
        cached_per_million=Decimal(99),
        output_per_million=Decimal(99),
    )
    async with database.transaction() as tx:
        assert len(await change_price(tx, entry, "root", now, "USD")) == 2
        table = await load_price_table(tx)
    assert await rows(database, ledger) == before
    assert all(not r.rows for r in await run_audit(database) if r.query.kind == "differences")
    book = PriceBook(table.prices)
    then = book.quote("qwen", "qwen3.5-flash", now - timedelta(microseconds=1))
    assert then.prices[0].input_per_million == Decimal("0.4")
    assert book.quote("qwen", "qwen3.5-flash", now).prices[0].input_per_million == Decimal(99)


@pytest.mark.parametrize(
    "edit",
    ["input_per_million = 1", "currency = 'EUR'", "tier_max_input = 5", "window_code = 'night'"],
)
async def test_rule_12_the_database_itself_refuses_to_change_a_used_row(
    database: Database, edit: str
) -> None:
    await book_turns(database)
    with pytest.raises(DBAPIError, match="close it and add a new one"):
        await change(database, f"UPDATE llm_prices SET {edit}", {})


async def test_rule_13_the_model_that_was_asked_for_is_priced_and_not_the_one_that_answered() -> (
    None
):
    asked = price(1)
    dear = price(2, model_code="m-latest", input_per_million=Decimal(1000))
    log = MemoryLog()

    def emit(event: AnyRunEvent) -> None:
        log.append(event)

    meter = RunMeter(PriceBook([asked, dear]), log, emit, HandClock(START))
    call = await meter.open(replace(CALL, factory="f", model="m"))
    end = CallEnd(status="settled", metered=used(input_tokens=10), response_model="m-latest")
    assert call.close(end).cost == Decimal("0.00007")


async def test_rule_14_currencies_are_never_added_up(database: Database) -> None:
    await book_turns(database)
    with pytest.raises(SetupError, match="booked in USD"):
        await check_currency(database, "CNY")
    in_cny = price(currency="CNY", input_per_million=Decimal(7))
    book = PriceBook([in_cny], currency="USD")
    with pytest.raises(Unpriced, match="priced in CNY"):
        book.quote("f", "m", START)
    book.replace([in_cny], (), [FxRate("CNY", "USD", Decimal("0.14"), START)])
    cost = book.quote("f", "m", START).cost(used(input_tokens=1_000_000))
    assert (cost.native, cost.exact) == (Decimal(7), Decimal("0.98"))


def test_rule_15_a_million_tokens_cost_what_the_list_says_and_not_what_floats_make_of_it() -> None:
    assert sum([3e-7] * 1_000_000) != 0.3
    quote = PriceBook([price(input_per_million=Decimal("0.3"))]).quote("f", "m", START)
    assert quote.cost(used(input_tokens=1_000_000)).exact == Decimal("0.3")
    half = PriceBook([price(input_per_million=Decimal("0.0000005"))]).quote("f", "m", START)
    assert half.cost(used(input_tokens=1)).exact == Decimal("0.000000000001")


def test_rule_16_tiny_calls_add_up_before_they_are_rounded() -> None:
    embedding = PriceBook([price(input_per_million=Decimal("0.02"))]).quote("f", "m", START)
    one = embedding.cost(used(input_tokens=5)).exact
    assert one == Decimal("0.0000001")
    assert to_message(one) == 0
    assert to_message(one * 10) == Decimal("0.000001")


async def test_rule_19_eight_digits_of_a_price_are_stored_and_count(database: Database) -> None:
    await change(
        database,
        "INSERT INTO llm_prices (factory, model_code, currency, effective, input_per_million, "
        "source) VALUES ('f', 'm', 'USD', '[2026-01-01,)', 0.00000001, 't')",
        {},
    )
    async with database.read() as tx:
        table = await load_price_table(tx)
    quote = PriceBook(table.prices).quote("f", "m", datetime(2026, 2, 1, tzinfo=UTC))
    assert quote.cost(used(input_tokens=100)).exact == Decimal("0.000000000001")


def test_rule_25_the_same_model_costs_what_its_own_factory_asks() -> None:
    book = PriceBook([price(1), price(2, factory="reseller", input_per_million=Decimal(70))])
    costs = [
        book.quote(factory, "m", START).cost(used(input_tokens=10)).exact
        for factory in ("f", "reseller")
    ]
    assert costs == [Decimal("0.00007"), Decimal("0.0007")]
    with pytest.raises(Unpriced):
        book.quote("another", "m", START)
