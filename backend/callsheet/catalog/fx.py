"""Rates of exchange as their file says them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import AwareDatetime, Field

from callsheet.catalog.price import Currency, Source
from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Section, compose

FxMoney = Annotated[Decimal, Field(gt=0, le=1_000_000_000, max_digits=20, decimal_places=10)]


class FxEntry(Section):
    """One `base` costs `rate` units of `quote` from `valid_from` until the pair's next entry."""

    base: Currency
    quote: Currency
    rate: FxMoney
    valid_from: AwareDatetime
    source: Source


class FxList(Section):
    """The content of `fx_rates.yaml`."""

    rates: tuple[FxEntry, ...] = ()


def load_rates(file: Path) -> FxList:
    """The rates of the file; none where there is no such file.

    Raises:
        ConfigError: every problem of the file.
    """
    if not file.exists():
        return FxList()
    salvage = compose(file).salvage(FxList)
    problems: list[Problem] = list(salvage.problems)
    seen: set[tuple[object, ...]] = set()
    for index, entry in enumerate(salvage.value.rates if salvage.value else ()):
        place = ("rates", index)
        if entry.base == entry.quote:
            message = "is the same currency as 'base'"
            problems.append(salvage.document.problem((*place, "quote"), message))
        key = (entry.base, entry.quote, entry.valid_from)
        if key in seen:
            message = f"{entry.base} has two rates to {entry.quote} from that moment on"
            problems.append(salvage.document.problem((*place, "valid_from"), message))
        seen.add(key)
    if problems or salvage.value is None:
        raise ConfigError(sorted(problems, key=lambda one: (one.line, one.column)))
    return salvage.value
