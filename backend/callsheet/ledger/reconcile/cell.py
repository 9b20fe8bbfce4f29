"""What the cells of a bill spell. Each raises ValueError with what is wrong, for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Final, Literal
from zoneinfo import ZoneInfo

_LONGEST: Final = 40
_MOST: Final = Decimal(10) ** 8
_PLACES: Final = 12
_YEARS: Final = range(2000, 9000)
_FORM: Final = {
    mark: re.compile(
        rf"[+-]?(?:[0-9]+|[0-9]{{1,3}}(?:[{thousands} \u00a0][0-9]{{3}})+)"
        rf"(?:{re.escape(mark)}[0-9]*)?(?:[eE][+-]?[0-9]{{1,3}})?"
    )
    for mark, thousands in ((".", ","), (",", "."))
}
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


def amount_of(text: str, decimal_mark: Literal[".", ","]) -> Decimal:
    """Money: digits, in threes or not, a decimal mark; at most 12 places, as the ledger has."""
    written = text.strip()
    if len(written) > _LONGEST or not _FORM[decimal_mark].fullmatch(written):
        raise ValueError(f"{_quoted(text)} is no amount with {decimal_mark!r} as decimal mark")
    thousands = "," if decimal_mark == "." else "."
    for mark in (thousands, " ", "\u00a0"):
        written = written.replace(mark, "")
    try:
        amount = Decimal(written.replace(decimal_mark, "."))
    except InvalidOperation as error:
        raise ValueError(f"{_quoted(text)} is no amount") from error
    if abs(amount) >= _MOST:
        raise ValueError(f"{_quoted(text)} is over {_MOST:f}")
    if int(amount.as_tuple().exponent) < -_PLACES:
        raise ValueError(f"{_quoted(text)} has more than {_PLACES} decimal places")
    return amount


def count_of(text: str, decimal_mark: Literal[".", ","]) -> int:
    """A number of tokens; an empty cell is none."""
    if not text.strip():
        return 0
    amount = amount_of(text, decimal_mark)
    if amount < 0 or amount != amount.to_integral_value():
        raise ValueError(f"{_quoted(text)} is no number of tokens")
    return int(amount)


def currency_of(text: str) -> str:
    """A currency's three capitals."""
    written = text.strip().upper()
    if not _CURRENCY.fullmatch(written):
        raise ValueError(f"{_quoted(text)} is no currency of three letters")
    return written


def day_of(text: str, formats: Sequence[str], zone: ZoneInfo) -> date:
    """A day of `zone`; a moment with an offset is looked at there."""
    written = text.strip()
    for form in formats if len(written) <= _LONGEST else ():
        try:
            if form == "iso":
                moment = datetime.fromisoformat(written)
            else:
                moment = datetime.strptime(written, form)  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
        day = moment.date() if moment.tzinfo is None else moment.astimezone(zone).date()
        if day.year in _YEARS:
            return day
    raise ValueError(f"{_quoted(text)} is no day of the form {' or '.join(formats)}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
