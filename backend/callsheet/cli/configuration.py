"""Every problem of a deployment's YAML, and which keys its models lack."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from callsheet.catalog.files import Seeds, load_seeds
from callsheet.catalog.priced import priced_models, unrated_models
from callsheet.cli.deployment import Deployment
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import ConfigError, Problem
from callsheet.ledger.budget.quotas_file import FILE as QUOTAS
from callsheet.ledger.budget.quotas_file import load_quotas
from callsheet.ledger.reconcile.layout import FILE as BILLS
from callsheet.ledger.reconcile.layout import layout_problems
from callsheet.llm.key import key_variable
from callsheet.wiring.llm import deployment_of
from callsheet.wiring.tools import make_registry
from callsheet.workflows.check import check
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
    """What `check` tells; `keys` is empty where the catalog cannot be read."""

    problems: tuple[Problem, ...]
    keys: tuple[Key, ...] = ()
    workflows: tuple[str, ...] = ()


def configuration_of(
    deployment: Deployment, also_priced: Collection[tuple[str, str]] = ()
) -> Configuration:
    """All problems of all files at once; `also_priced` are models with a price elsewhere."""
    config, crews = deployment.folders.config, deployment.folders.crews
    names = tuple(folder.name for folder in folders(crews))
    try:
        seeds = load_seeds(
            config / "llm_catalog.yaml", config / "llm_prices.yaml", config / "fx_rates.yaml"
        )
    except ConfigError as error:
        # Without the catalog nobody knows the models, but the rest can be looked at.
        alone = [problem for folder in folders(crews) for problem in _of_workflow(folder)]
        alone += [*layout_problems(config / BILLS), *_of_quotas(config / QUOTAS, None)]
        return Configuration((*error.problems, *alone), workflows=names)
    keys = _keys(deployment, seeds)
    settings = deployment.settings
    now = SystemClock().now()
    listed = priced_models(seeds, settings.currency, now)
    priced = None if settings.allow_unpriced else listed.union(also_priced)
    against = replace(
        deployment_of(settings, seeds, make_registry(), priced),
        unrated=unrated_models(seeds, settings.currency, now),
    )
    problems = (
        *check(config, crews, against),
        *layout_problems(config / BILLS),
        *_of_quotas(config / QUOTAS, [factory.name for factory in seeds.catalog.factories]),
    )
    return Configuration(problems, keys, names)


def _keys(deployment: Deployment, seeds: Seeds) -> tuple[Key, ...]:
    return tuple(
        Key(
            factory.name,
            key_variable(factory.name),
            deployment.settings.api_key(factory.name) is not None,
        )
        for factory in seeds.catalog.factories
    )


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
