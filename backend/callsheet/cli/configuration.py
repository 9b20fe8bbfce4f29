"""Every problem of a deployment's YAML, and which keys its models lack."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from callsheet.catalog.files import Seeds, load_all_seeds
from callsheet.catalog.priced import entries_with_ends, priced_models
from callsheet.cli.deployment import Deployment
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import ConfigError, Problem
from callsheet.ledger.budget.quotas_file import FILE as QUOTAS
from callsheet.ledger.budget.quotas_file import load_quotas
from callsheet.ledger.currency import Span, unrated, without_rate
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.store import PriceTable
from callsheet.ledger.reconcile.layout import FILE as BILLS
from callsheet.ledger.reconcile.layout import layout_problems
from callsheet.llm.facts import load_facts
from callsheet.llm.key import key_variable
from callsheet.tools.problem import ToolProblem
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.sandbox.sandbox_file import FILE as SANDBOX
from callsheet.tools.sandbox.sandbox_file import read_sandbox
from callsheet.wiring.llm import deployment_of
from callsheet.wiring.mcp import listed_servers
from callsheet.wiring.tools import make_registry
from callsheet.workflows.check import MODELS, check
from callsheet.workflows.draft import Known
from callsheet.workflows.folder import folders
from callsheet.workflows.loader import load_workflow


@dataclass(frozen=True, slots=True)
class Key:
    """Whether a factory's key is there, and the variable that holds it."""

    factory: str
    variable: str
    is_set: bool


@dataclass(frozen=True, slots=True)
class Configuration:
    """What `check` tells; `keys` is empty where the catalog cannot be read.

    `is_played`: a rehearsal answers in the place of the models that need a key. `tools` is what is
    wrong with tools; with `strict` the server does not start then.
    """

    problems: tuple[Problem, ...]
    keys: tuple[Key, ...] = ()
    workflows: tuple[str, ...] = ()
    is_played: bool = False
    tools: tuple[ToolProblem, ...] = ()
    strict: bool = False


def configuration_of(
    deployment: Deployment,
    stored: PriceTable | None = None,
    registry: ToolRegistry | None = None,
) -> Configuration:
    """All problems of all files at once; `stored` are the prices and rates of the database.

    `registry` None: one is made.
    """
    settings = deployment.settings
    registry = registry or make_registry(settings)
    wrong, strict = tuple(registry.problems()), settings.tools.fail_fast
    config, crews = deployment.folders.config, deployment.folders.crews
    names = tuple(folder.name for folder in folders(crews))
    try:
        seeds = load_all_seeds(config)
    except ConfigError as error:
        # Without the catalog nobody knows the models, but the rest can be looked at.
        alone = [problem for folder in folders(crews) for problem in _of_workflow(folder)]
        alone += [*layout_problems(config / BILLS), *_of_quotas(config / QUOTAS, None)]
        alone += listed_servers(settings, deployment.folders).problems
        alone += read_sandbox(config / SANDBOX)[1]
        found = (*error.problems, *alone)
        return Configuration(found, workflows=names, tools=wrong, strict=strict)
    keys = _keys(deployment, seeds)
    now = SystemClock().now()
    listed = priced_models(seeds, now) | _priced(stored, settings.currency, now)
    priced = None if settings.allow_unpriced else listed
    servers = listed_servers(settings, deployment.folders)
    against = deployment_of(settings, seeds, registry, priced, servers.names())
    problems = (
        *_of_rates(config / "fx_rates.yaml", seeds, stored, settings.currency, now),
        *check(config, crews, against),
        *servers.problems,
        *layout_problems(config / BILLS),
        *_of_quotas(config / QUOTAS, [factory.name for factory in seeds.catalog.factories]),
        *read_sandbox(config / SANDBOX)[1],
    )
    is_played = not any(key.is_set for key in keys) and _needs_key(config / MODELS)
    return Configuration(problems, keys, names, is_played, wrong, strict)


def _priced(stored: PriceTable | None, currency: str, now: datetime) -> set[tuple[str, str]]:
    if stored is None:
        return set()
    book, names = stored.book(currency), {(row.factory, row.model_code) for row in stored.prices}
    return {name for name in names if book.has_price(*name, now)}


def _of_rates(
    path: Path, seeds: Seeds, stored: PriceTable | None, currency: str, now: datetime
) -> tuple[Problem, ...]:
    rates = [FxRate(**dict(entry)) for entry in seeds.rates.rates]
    spans = (
        Span(entry.name, entry.currency, entry.valid_from, end)
        for entry, end in entries_with_ends(seeds)
    )
    names = unrated(spans, currency, now, [*rates, *(stored.rates if stored else ())])
    return (Problem(str(path), 0, 0, without_rate(names, currency)),) if names else ()


def _keys(deployment: Deployment, seeds: Seeds) -> tuple[Key, ...]:
    return tuple(
        Key(
            factory.name,
            key_variable(factory.name),
            deployment.settings.api_key(factory.name) is not None,
        )
        for factory in seeds.catalog.factories
    )


def _needs_key(models: Path) -> bool:
    """Whether any model does; so it is, too, where the file cannot be read."""
    try:
        return any(fact.auth == "key" for fact in load_facts(models).values())
    except ConfigError:
        return True


def _of_quotas(path: Path, factories: Collection[str] | None) -> tuple[Problem, ...]:
    try:
        load_quotas(path, factories)
    except ConfigError as error:
        return error.problems
    return ()


def _of_workflow(folder: Path) -> tuple[Problem, ...]:
    try:
        load_workflow(folder, Known())
    except ConfigError as error:
        return error.problems
    return ()
