"""One accounting currency for all that was ever stored and all that is priced."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError
from callsheet.ledger.currency import check_currency, check_prices
from callsheet.ledger.price.fx_rate import FxRate
from tests.fixtures.booked import book_turns
from tests.ledger.prices import START, price


async def test_an_empty_database_takes_any_currency(database: Database) -> None:
    await check_currency(database, "EUR")


async def test_booked_messages_settle_the_currency(database: Database) -> None:
    await book_turns(database)
    await check_currency(database, "USD")
    with pytest.raises(SetupError, match=r"booked in USD.*set to EUR.*CALLSHEET_CURRENCY=USD"):
        await check_currency(database, "EUR")


def test_prices_of_now_and_later_are_in_the_accounting_currency_or_have_a_rate() -> None:
    ended = price(1, currency="CNY", valid_to=START + timedelta(days=1))
    now = START + timedelta(days=1)
    check_prices([ended, price(2)], "USD", now)
    with pytest.raises(SetupError, match=r"no rate to EUR, the accounting currency.*f/m \(USD\)"):
        check_prices([price(2)], "EUR", now)
    with pytest.raises(SetupError, match=r"f/m \(CNY\)"):
        check_prices([ended], "USD", now - timedelta(microseconds=1))
    with pytest.raises(SetupError, match=r"f/m \(CNY\)"):
        check_prices([price(3, currency="CNY", valid_from=now + timedelta(days=9))], "USD", now)
    later = price(3, currency="CNY", valid_from=now + timedelta(days=9))
    rate = FxRate("CNY", "USD", Decimal("0.14"), now + timedelta(days=9))
    check_prices([later], "USD", now, [rate])
    with pytest.raises(SetupError, match=r"f/m \(CNY\).*config/fx_rates.yaml.*prices fx set"):
        check_prices([price(3, currency="CNY")], "USD", now, [rate])
