"""Rounding of money, in one place."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

LEDGER_QUANTUM: Final = Decimal("0.000000000001")
MESSAGE_QUANTUM: Final = Decimal("0.000001")


def to_ledger(amount: Decimal) -> Decimal:
    """Rounded half-up to the 12 places of a ledger row."""
    return amount.quantize(LEDGER_QUANTUM, rounding=ROUND_HALF_UP)


def to_message(amount: Decimal) -> Decimal:
    """Rounded half-up to the 6 places of a message."""
    return amount.quantize(MESSAGE_QUANTUM, rounding=ROUND_HALF_UP)


def plain(amount: Decimal) -> str:
    """The amount without an exponent and without trailing zeros: '0.000045'."""
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text or "0"
