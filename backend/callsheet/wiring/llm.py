"""The models of this deployment and the clients that reach them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from callsheet.catalog.files import Seeds
from callsheet.kit.errors import ConfigError
from callsheet.llm.facts import ModelFacts, load_facts
from callsheet.llm.key import key_variable
from callsheet.llm.litellm_client import LiteLlmClient
from callsheet.llm.litellm_library import is_installed
from callsheet.llm.model import Model
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from callsheet.llm.protocol import ChatClient
from callsheet.llm.rehearsal.model import REHEARSAL
from callsheet.llm.rehearsal.transport import RehearsalTransport
from callsheet.llm.router import ChatRouter
from callsheet.settings.folders import Folders
from callsheet.settings.settings import Settings
from callsheet.tools.registry import ToolRegistry
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.models import ConfiguredModels
from callsheet.workflows.check import Deployment, known_to
from callsheet.workflows.draft import Known
from callsheet.workflows.server_tools import Servers
from callsheet.workflows.tool_rule import ToolRule
from callsheet.workflows.tools_file import Own, read_tools

REHEARSAL_PACE_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Llm:
    """`known` is what workflows may name, `rules` are those of tools, by name or pattern; `names`
    are factory and code of all models; `transport` is the one that has connections open.
    """

    models: ConfiguredModels
    client: ChatClient
    known: Known
    rules: Mapping[str, ToolRule]
    names: frozenset[tuple[str, str]]
    transport: AiohttpTransport

    async def close(self) -> None:
        """Close every connection to a provider."""
        await self.transport.aclose()


def deployment_of(
    settings: Settings,
    seeds: Seeds,
    tools: ToolRegistry,
    priced: Collection[tuple[str, str]] | None = None,
    servers: Servers | None = None,
) -> Deployment:
    """What the YAML files are held against; `priced` None: prices are not looked at."""
    own: Own = {name: tools.facts(name).parameters for name in sorted(tools.names())}
    # Where the start goes on without what a plugin could not bring, its YAML is no mistake.
    absent = {} if settings.tools.fail_fast else dict.fromkeys(tools.absent())
    return Deployment(
        catalog={llm.model_code: llm.factory_id for llm in seeds.catalog.llms},
        priced=priced,
        tools={**own, **absent},
        keys=[
            factory.name
            for factory in seeds.catalog.factories
            if settings.api_key(factory.name) is not None
        ],
        has_litellm=is_installed(),
        servers=servers or {},
    )


def make_llm(
    settings: Settings,
    folders: Folders,
    seeds: Seeds,
    tools: ToolRegistry,
    servers: Servers,
    adapters: Adapters,
) -> Llm:
    """Read the models' facts and make what reaches them; nothing connects yet.

    Raises:
        ConfigError: every problem of `models.yaml` and `tools.yaml`.
    """
    deployment = deployment_of(settings, seeds, tools, servers=servers)
    facts = load_facts(folders.config / "models.yaml")
    listed = read_tools(folders.config / "tools.yaml", deployment.tools, servers)
    if listed.problems:
        raise ConfigError(listed.problems)
    transport = AiohttpTransport()
    client = ChatRouter(
        OpenAiChatClient(transport, adapters.clock),
        OpenAiChatClient(RehearsalTransport(REHEARSAL_PACE_S), adapters.clock),
        LiteLlmClient(adapters.clock),
    )
    return Llm(
        models=_models(settings, seeds, deployment, facts),
        client=client,
        known=known_to(deployment, facts, listed.names),
        rules=listed.rules,
        names=_names(deployment, facts),
        transport=transport,
    )


def _names(deployment: Deployment, facts: Mapping[str, ModelFacts]) -> frozenset[tuple[str, str]]:
    owners = {code: deployment.catalog.get(code) or fact.factory for code, fact in facts.items()}
    named = {(factory, code) for code, factory in owners.items() if factory is not None}
    return frozenset({(REHEARSAL.factory, REHEARSAL.model_code), *named})


def _models(
    settings: Settings, seeds: Seeds, deployment: Deployment, facts: Mapping[str, ModelFacts]
) -> ConfiguredModels:
    models: dict[str, Model] = {REHEARSAL.model_code: REHEARSAL}
    missing: dict[str, str] = {}
    for code, fact in facts.items():
        factory = deployment.catalog.get(code) or fact.factory
        entry = seeds.catalog.factory(factory) if factory else None
        address = entry.request_url if entry else fact.request_url
        if factory is None or address is None:
            continue
        key = settings.api_key(factory)
        if fact.auth == "key" and key is None:
            missing[code] = key_variable(factory)
            continue
        models[code] = fact.model(
            code,
            factory=factory,
            base_url=address,
            api_key=key.get_secret_value() if key else None,
        )
    return ConfiguredModels(models, missing, None if deployment.keys else REHEARSAL)
