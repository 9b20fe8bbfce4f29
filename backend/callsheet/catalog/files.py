"""Reads the seed files; every problem is found at once and has its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from callsheet.catalog.catalog import Catalog
from callsheet.catalog.fx import FxList, load_rates
from callsheet.catalog.price import PriceEntry, PriceList
from callsheet.catalog.price_problems import price_problems
from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document, compose
from callsheet.kit.yaml_words import closest

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Seeds:
    """What the tables of the catalog and of prices are filled from."""

    catalog: Catalog
    prices: PriceList
    rates: FxList = field(default_factory=FxList)

    @property
    def entries(self) -> tuple[PriceEntry, ...]:
        """Every price, listed or not."""
        return (*self.prices.prices, *self.prices.unlisted)


def load_all_seeds(config: Path) -> Seeds:
    """`load_seeds` of the files of a configuration folder."""
    names = ("llm_catalog.yaml", "llm_prices.yaml", "fx_rates.yaml")
    return load_seeds(*(config / name for name in names))


def load_seeds(catalog_file: Path, prices_file: Path, rates_file: Path | None = None) -> Seeds:
    """The files, checked against each other; there need be no file of rates.

    Raises:
        ConfigError: every problem of all of them, in file order.
    """
    of_catalog: list[Problem] = []
    of_prices: list[Problem] = []
    of_rates: list[Problem] = []
    catalog = _salvaged(catalog_file, of_catalog)
    prices = _salvaged_prices(prices_file, catalog, of_prices)
    rates = FxList()
    try:
        rates = rates if rates_file is None else load_rates(rates_file)
    except ConfigError as error:
        of_rates += error.problems
    if of_catalog or of_prices or of_rates or catalog is None or prices is None:
        raise ConfigError([*_in_order(of_catalog), *_in_order(of_prices), *of_rates])
    return Seeds(catalog, prices, rates)


def load_price_list(file: Path) -> PriceList:
    """A price list alone, of whatever models.

    Raises:
        ConfigError: every problem of the file.
    """
    problems: list[Problem] = []
    prices = _salvaged_prices(file, None, problems)
    if problems or prices is None:
        raise ConfigError(_in_order(problems))
    return prices


def load_catalog(catalog_file: Path) -> Catalog:
    """The catalog alone.

    Raises:
        ConfigError: every problem of the file.
    """
    problems: list[Problem] = []
    catalog = _salvaged(catalog_file, problems)
    if problems or catalog is None:
        raise ConfigError(_in_order(problems))
    return catalog


def _in_order(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.line, problem.column))


def _salvaged(file: Path, problems: list[Problem]) -> Catalog | None:
    try:
        document = compose(file)
    except ConfigError as error:
        problems += error.problems
        return None
    salvage = document.salvage(Catalog)
    problems += salvage.problems
    if salvage.value is not None:
        problems += _dangling(salvage.document, salvage.value)
    return salvage.value


def _dangling(document: Document, catalog: Catalog) -> Iterator[Problem]:
    names = [factory.name for factory in catalog.factories]
    for index, name in _doubled(names):
        place = ("factories", index, "name")
        yield document.problem(place, f"the factory {name!r} is listed twice")
    for index, code in _doubled([llm.model_code for llm in catalog.llms]):
        yield document.problem(("llms", index, "model_code"), f"the model {code!r} is listed twice")
    for index, llm in enumerate(catalog.llms):
        if llm.factory_id not in names:
            message = f"no factory is called {llm.factory_id!r}"
            place = ("llms", index, "factory_id")
            yield document.problem(place, message, closest(llm.factory_id, names))


def _salvaged_prices(
    file: Path, catalog: Catalog | None, problems: list[Problem]
) -> PriceList | None:
    try:
        document = compose(file)
    except ConfigError as error:
        problems += error.problems
        return None
    salvage = document.salvage(PriceList)
    problems += salvage.problems
    if salvage.value is not None:
        problems += price_problems(document, salvage.document, salvage.value, catalog)
    return salvage.value


def _doubled(keys: Iterable[_Key]) -> Iterator[tuple[int, _Key]]:
    """Index and value of each that was there before."""
    seen: set[_Key] = set()
    for index, key in enumerate(keys):
        if key in seen:
            yield index, key
        seen.add(key)
