"""All configuration files held against each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.yaml import Document
from callsheet.kit.yaml_words import closest
from callsheet.llm.facts import ModelFacts, salvage_facts
from callsheet.llm.key import key_variable
from callsheet.workflows.draft import Known
from callsheet.workflows.folder import folders
from callsheet.workflows.loader import load_workflow
from callsheet.workflows.server_tools import Servers
from callsheet.workflows.tools_file import Own, read_tools

MODELS: Final = "models.yaml"
TOOLS: Final = "tools.yaml"
UNPRICED: Final = "would be refused"
_NO_LITELLM: Final = (
    "goes through LiteLLM, which is not installed: pip install 'callsheet[litellm]' "
    "(in a checkout: make litellm)"
)


@dataclass(frozen=True, slots=True)
class Deployment:
    """What the files are held against.

    `catalog` maps each model_code of the catalog to its factory, `priced` are the (factory,
    model_code) with a price, None where that is not known; `tools` are those that may be named;
    `keys` are the factories whose key is set, `has_litellm` says whether the extra for other
    providers is installed.
    """

    catalog: Mapping[str, str]
    priced: Collection[tuple[str, str]] | None = None
    tools: Own = field(default_factory=dict)
    keys: Collection[str] = ()
    has_litellm: bool = True
    servers: Servers = field(default_factory=dict)


def known_to(
    deployment: Deployment, facts: Mapping[str, ModelFacts], tools: Collection[str]
) -> Known:
    """What workflows may name: models with facts, listed tools.

    Where no key is set at all every model is played by the rehearsal, so that none is missing.
    """
    factories = {code: _factory(deployment, code, fact) for code, fact in facts.items()}
    missing = {
        code: key_variable(factory)
        for code, factory in factories.items()
        if factory and facts[code].auth == "key" and factory not in deployment.keys
    }
    return Known(
        models=frozenset(code for code, factory in factories.items() if factory),
        tools=frozenset(tools),
        missing_keys=missing if deployment.keys else {},
        servers=deployment.servers,
    )


def check(config: Path, crews: Path, deployment: Deployment) -> list[Problem]:
    """Every problem of `models.yaml`, `tools.yaml` and all workflows, file by file."""
    problems: list[Problem] = []
    facts = _facts(config / MODELS, deployment, problems)
    rules = _tools(config / TOOLS, deployment, problems)
    known = Known()
    if facts is not None and rules is not None:
        known = known_to(deployment, facts, rules)
    elif facts is not None:
        known = known_to(deployment, facts, ())
        known = Known(known.models, None, known.missing_keys, deployment.servers)
    elif rules is not None:
        known = Known(None, frozenset(rules), servers=deployment.servers)
    names = folders(crews)
    if not names:
        problems.append(Problem(str(crews), 0, 0, "holds no workflow"))
    for folder in names:
        try:
            load_workflow(folder, known)
        except ConfigError as error:
            problems += error.problems
    return problems


def _facts(
    path: Path, deployment: Deployment, problems: list[Problem]
) -> Mapping[str, ModelFacts] | None:
    try:
        salvage = salvage_facts(path)
    except ConfigError as error:
        problems += error.problems
        return None
    problems += salvage.problems
    if salvage.value is None:
        return None
    problems += _against_catalog(salvage.document, salvage.value.models, deployment)
    # A model whose facts are wrong is a known one: its own problem is enough.
    broken = set(deployment.catalog) - set(salvage.value.models)
    return {**salvage.value.models, **{code: ModelFacts() for code in broken}}


def _against_catalog(
    document: Document, models: Mapping[str, ModelFacts], deployment: Deployment
) -> Iterator[Problem]:
    catalog = deployment.catalog
    for code, fact in models.items():
        if fact.factory is None and code not in catalog:
            message = f"llm_catalog.yaml has no model {code!r}"
            yield document.problem(("models", code), message, closest(code, catalog), of_key=True)
        elif fact.factory is not None and code in catalog:
            message = f"the model {code!r} is in llm_catalog.yaml, which names its factory"
            yield document.problem(("models", code, "factory"), message, of_key=True)
        elif _is_unpriced(deployment, code, fact):
            message = _unpriced(code, _factory(deployment, code, fact) or "")
            yield document.problem(("models", code), message, of_key=True)
        if fact.litellm_provider is not None and not deployment.has_litellm:
            place = ("models", code, "litellm_provider")
            yield document.problem(place, _NO_LITELLM, of_key=True)
    written = document.keys(("models",))
    for code in catalog:
        if code not in written and code not in models:
            message = f"the facts about {code!r} are missing; '{code}: {{}}' takes the defaults"
            yield document.problem(("models",), message, of_key=True)


def _unpriced(code: str, factory: str) -> str:
    return (
        f"the model {code!r} has no price in llm_prices.yaml that is valid now, and {UNPRICED}: "
        f"add one, or `callsheet prices set {factory}/{code} --input ... --cached ... --output ...`"
    )


def _is_unpriced(deployment: Deployment, code: str, fact: ModelFacts) -> bool:
    priced = deployment.priced
    return priced is not None and (_factory(deployment, code, fact), code) not in priced


def _factory(deployment: Deployment, code: str, fact: ModelFacts) -> str | None:
    return deployment.catalog.get(code) or fact.factory


def _tools(path: Path, deployment: Deployment, problems: list[Problem]) -> Collection[str] | None:
    try:
        listed = read_tools(path, deployment.tools, deployment.servers)
    except ConfigError as error:
        problems += error.problems
        return None
    problems += listed.problems
    return set(listed.names) | {name for name in deployment.tools if listed.problems}
