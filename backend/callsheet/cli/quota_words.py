"""Limits as they are written in a command: `user_day.cost=5`."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final, cast

from callsheet.kit.errors import BadInput
from callsheet.kit.yaml_words import closest
from callsheet.ledger.budget.limits import (
    MEASURES,
    MONEY_DIGITS,
    MONEY_PLACES,
    MOST_COUNT,
    OF_USER,
    Measure,
    Override,
    Scope,
)

LIFTED: Final = "none"
AS_EVERYBODY: Final = "default"
_SMALLEST: Final = Decimal(1).scaleb(-MONEY_PLACES)
_MOST_MONEY: Final = Decimal(10) ** MONEY_DIGITS - _SMALLEST


def changed(own: Override, words: Iterable[str]) -> Override:
    """What is set for a user, after these words: SCOPE.MEASURE=AMOUNT, =none or =default.

    Raises:
        BadInput: a word that says nothing.
    """
    found: dict[Scope, dict[Measure, Decimal | None]] = {
        scope: dict(amounts) for scope, amounts in own.items()
    }
    for word in words:
        scope, measure, amount = _parts(word)
        amounts = found.setdefault(scope, {})
        if amount == AS_EVERYBODY:
            amounts.pop(measure, None)
        else:
            amounts[measure] = None if amount == LIFTED else _amount(word, measure, amount)
    return {scope: amounts for scope, amounts in found.items() if amounts}


def _parts(word: str) -> tuple[Scope, Measure, str]:
    place, mark, amount = word.partition("=")
    scope, dot, measure = place.partition(".")
    if not (mark and dot and amount):
        raise BadInput(f"{word!r} is not of the form user_day.cost=5.", field="limits")
    for found, known in ((scope, OF_USER), (measure, MEASURES)):
        if found not in known:
            near = closest(found, known)
            hint = f" Did you mean {near}?" if near else f" There are {', '.join(known)}."
            raise BadInput(f"{word!r}: there is no {found!r}.{hint}", field="limits")
    return cast(Scope, scope), cast(Measure, measure), amount


def _amount(word: str, measure: Measure, text: str) -> Decimal:
    most = _MOST_MONEY if measure == "cost" else Decimal(MOST_COUNT)
    try:
        amount = Decimal(text)
        exact = amount % (_SMALLEST if measure == "cost" else 1) == 0
    except InvalidOperation:
        amount, exact = Decimal(-1), False
    if not (exact and 0 <= amount <= most):
        wanted = (
            f"money with at most {MONEY_DIGITS} digits and {MONEY_PLACES} places"
            if measure == "cost"
            else f"a whole number up to {MOST_COUNT}"
        )
        raise BadInput(f"{word!r}: {text!r} is not {wanted}, none or default.", field="limits")
    return amount
