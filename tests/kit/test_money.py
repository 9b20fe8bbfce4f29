"""Money is rounded half-up, in one place, and shown without exponents."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.kit.money import plain, to_ledger, to_message

AMOUNTS = st.decimals(min_value=0, max_value=100_000, places=14)


@pytest.mark.parametrize(
    ("amount", "ledger", "message"),
    [
        ("0", "0.000000000000", "0.000000"),
        ("0.0000005", "0.000000500000", "0.000001"),
        ("0.0000015", "0.000001500000", "0.000002"),
        ("0.0000025", "0.000002500000", "0.000003"),
        ("0.00000049999", "0.000000499990", "0.000000"),
        ("0.0000000000005", "0.000000000001", "0.000000"),
        ("0.0000000000015", "0.000000000002", "0.000000"),
        ("999999.9999995", "999999.999999500000", "1000000.000000"),
    ],
)
def test_a_half_goes_up_not_to_the_even(amount: str, ledger: str, message: str) -> None:
    assert format(to_ledger(Decimal(amount)), "f") == ledger
    assert format(to_message(Decimal(amount)), "f") == message


@given(AMOUNTS)
def test_rounding_is_off_by_at_most_half_a_unit_and_changes_nothing_twice(amount: Decimal) -> None:
    assert abs(to_ledger(amount) - amount) <= Decimal("0.0000000000005")
    assert abs(to_message(amount) - amount) <= Decimal("0.0000005")
    assert to_ledger(to_ledger(amount)) == to_ledger(amount)


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0.000045000000", "0.000045"),
        ("0E-12", "0"),
        ("1E-12", "0.000000000001"),
        ("1E+3", "1000"),
        ("100", "100"),
        ("1.50", "1.5"),
        ("0", "0"),
    ],
)
def test_an_amount_is_shown_plainly(amount: str, shown: str) -> None:
    assert plain(Decimal(amount)) == shown


@given(AMOUNTS)
def test_what_is_shown_is_the_amount(amount: Decimal) -> None:
    assert Decimal(plain(amount)) == amount
    assert "E" not in plain(amount)
