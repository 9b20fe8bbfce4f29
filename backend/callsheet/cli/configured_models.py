"""The models that a deployment's files name, with the provider's name for each."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.catalog.files import load_catalog
from callsheet.cli.deployment import Deployment
from callsheet.llm.facts import load_facts


@dataclass(frozen=True, slots=True)
class ConfiguredModel:
    """A model of `models.yaml`; `names` are its code and what the provider calls it."""

    factory: str
    model_code: str
    names: tuple[str, ...]


def configured_models(deployment: Deployment) -> tuple[ConfiguredModel, ...]:
    """Every model, in the order of the file.

    Raises:
        ConfigError: every problem of the two files.
    """
    folder = deployment.folders.config
    catalog = load_catalog(folder / "llm_catalog.yaml")
    factories = {llm.model_code: llm.factory_id for llm in catalog.llms}
    found = []
    for code, facts in load_facts(folder / "models.yaml").items():
        factory = factories.get(code) or facts.factory
        if factory is not None:
            names = dict.fromkeys((code, facts.upstream_model or code))
            found.append(ConfiguredModel(factory, code, tuple(names)))
    return tuple(found)
