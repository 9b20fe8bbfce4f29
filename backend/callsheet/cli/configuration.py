"""Every problem of a deployment's YAML, and which keys its models lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callsheet.catalog.files import Seeds, load_seeds
from callsheet.cli.deployment import Deployment
from callsheet.kit.errors import ConfigError, Problem
from callsheet.settings.settings import key_variable
from callsheet.wiring.tools import make_tools
from callsheet.workflows import check
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


def configuration_of(deployment: Deployment) -> Configuration:
    """All problems of all files at once."""
    config, crews = deployment.folders.config, deployment.folders.crews
    names = tuple(folder.name for folder in folders(crews))
    try:
        seeds = load_seeds(config / "llm_catalog.yaml", config / "llm_prices.yaml")
    except ConfigError as error:
        # Without the catalog nobody knows the models, but the rest can be looked at.
        alone = [problem for folder in folders(crews) for problem in _of_workflow(folder)]
        return Configuration((*error.problems, *alone), workflows=names)
    keys = _keys(deployment, seeds)
    against = check.Deployment(
        catalog={llm.model_code: llm.factory_id for llm in seeds.catalog.llms},
        priced={(entry.factory, entry.model_code) for entry in seeds.entries},
        tools=_tools(),
        keys=[key.factory for key in keys if key.is_set],
    )
    return Configuration(tuple(check.check(config, crews, against)), keys, names)


def _keys(deployment: Deployment, seeds: Seeds) -> tuple[Key, ...]:
    return tuple(
        Key(
            factory.name,
            key_variable(factory.name),
            deployment.settings.api_key(factory.name) is not None,
        )
        for factory in seeds.catalog.factories
    )


def _tools() -> Mapping[str, Mapping[str, Any]]:
    registry = make_tools().registry
    names = sorted(registry.names())
    return {
        name: schema["function"]["parameters"]
        for name, schema in zip(names, registry.schemas(names), strict=True)
    }


def _of_workflow(folder: Path) -> tuple[Problem, ...]:
    try:
        load_workflow(folder, Known())
    except ConfigError as error:
        return error.problems
    return ()
