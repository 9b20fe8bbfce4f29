"""One process of the product: its parts, its start-up in the background, its orderly end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

import structlog

from callsheet.artifacts.folder import ArtifactFolder
from callsheet.auth.stored_keys import StoredKeys
from callsheet.catalog.files import load_all_seeds
from callsheet.crew.abilities import Abilities
from callsheet.db.migrate import migrate
from callsheet.db.transaction import Database
from callsheet.journal.spool import DiskSpool
from callsheet.kit.errors import AppError, SetupError, Unavailable
from callsheet.kit.readiness import Readiness
from callsheet.ledger.currency import check_currency
from callsheet.ledger.rate.provider_rates import ProviderRates
from callsheet.metrics.calls import CallMetrics
from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.folders import Folders, folders_of
from callsheet.settings.settings import Settings
from callsheet.turn.ports import StageRunner
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.allowances import make_allowances
from callsheet.wiring.artifact_sweep import ArtifactSweep
from callsheet.wiring.chat import ChatService
from callsheet.wiring.claims import Claims
from callsheet.wiring.continuations import ContinuationService
from callsheet.wiring.core import Core, Process, database_options, make_core, process_name
from callsheet.wiring.crew import crew_options, import_in_background
from callsheet.wiring.database_url import database_url
from callsheet.wiring.life import Life, begin_life
from callsheet.wiring.llm import Llm, make_llm
from callsheet.wiring.mcp import make_mcp
from callsheet.wiring.prices import PriceService
from callsheet.wiring.quota import QuotaService
from callsheet.wiring.runs import RunService
from callsheet.wiring.sandbox import configured_sandbox
from callsheet.wiring.sessions import SessionService
from callsheet.wiring.shift import Shift
from callsheet.wiring.stored_catalog import store_catalog
from callsheet.wiring.tools import Tools, make_registry, make_tools, settle
from callsheet.wiring.usage import UsageService
from callsheet.wiring.warm_runner import WarmRunner
from callsheet.workflows.live import LiveWorkflows

log = structlog.get_logger(__name__)

DATABASE: Final = "database"
CATALOG: Final = "catalog"
CREW: Final = "crew"


class Application:
    """`async with Application(settings)`: starts in the background, ends in order.

    Configuration is read, and refused with ConfigError or SetupError, when the object is made.
    Inside the block `ready()` waits until turns can run; before that every service answers
    `Unavailable` and says what is still starting. `kind`: what the process does with runs.
    """

    def __init__(
        self, settings: Settings, adapters: Adapters | None = None, kind: WorkerKind = "serve"
    ) -> None:
        self.settings = settings
        self._kind = kind
        self.folders: Folders = folders_of(settings)
        self.adapters = adapters or Adapters()
        self.readiness = Readiness((DATABASE, CATALOG, CREW))
        self.seeds = load_all_seeds(self.folders.config)
        self.sandbox = configured_sandbox(settings)
        registry = make_registry(settings, self._database, self.sandbox)
        settle(registry.problems(), fail_fast=settings.tools.fail_fast)
        self.mcp = make_mcp(settings, self.folders, registry, self._database)
        files = (settings, self.folders, self.seeds)
        self.llm: Llm = make_llm(*files, registry, self.mcp.names(), self.adapters)
        self.call_metrics = CallMetrics(self.llm.models.all())
        self.tools: Tools = make_tools(registry, self.llm.rules)
        self.workflows = LiveWorkflows.load(self.folders.crews, self.llm.known, self.adapters.clock)
        self.runner = WarmRunner()
        self.chat = ChatService(self.core, self.workflows, settings.default_workflow, registry)
        self.runs = RunService(self.core)
        self.continuations = ContinuationService(self.core, self.workflows)
        self.stored_keys = StoredKeys(self._database, self.adapters.clock)
        self.sessions = SessionService(self.core, self.runs)
        factories = (factory.name for factory in self.seeds.catalog.factories)
        self.allowances = make_allowances(self.folders.config / "quotas.yaml", factories)
        quotas, clock, currency = self.allowances.quotas, self.adapters.clock, settings.currency
        self.quotas = QuotaService(self._database, lambda: self.core().quota_feed, quotas, currency)
        self.usage = UsageService(self._database, quotas, clock, currency)
        self.prices = PriceService(
            self._database, lambda: self.core().price_feed, clock, currency, self.llm.names
        )
        self._core: Core | None = None
        self._failure: Exception | None = None
        self._started = asyncio.Event()
        self._stop = asyncio.Event()
        self._group = asyncio.TaskGroup()
        self._life: asyncio.Task[None] | None = None

    @property
    def is_rehearsal(self) -> bool:
        """Whether some agent's model is played by the rehearsal, because no key is set."""
        return any(map(self.llm.models.is_played, self.workflows.models()))

    def core(self) -> Core:
        """The parts that need the database; Unavailable before they are there."""
        if self._core is None:
            raise Unavailable(
                "The server is still starting; try again in a moment.", service=DATABASE
            )
        return self._core

    def _database(self) -> Database:
        return self.core().database

    async def ready(self) -> None:
        """Return when turns can be let in; raises SetupError where the start failed."""
        await self._started.wait()
        if self._failure is not None:
            raise self._failure

    def drain(self) -> None:
        """Take no new turns, let those under way end, and look on at no others any more."""
        if self._core is not None:
            self._core.drain()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._life = self._group.create_task(self._live())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._life is not None and not self._started.is_set():
            self._life.cancel()
        await self._group.__aexit__(kind, error, trace)

    async def _live(self) -> None:
        """Start, work until stopped, end in order."""
        async with AsyncExitStack() as stack:
            try:
                core, life = await self._start(stack)
            except (SetupError, AppError) as failure:
                self._fail(failure)
                return
            except Exception as fault:  # border: a start that fails is told, not hung
                log.exception("start_failed")
                self._fail(SetupError(f"The start failed inside: {type(fault).__name__}."))
                return
            async with asyncio.TaskGroup() as writing:
                writing.create_task(core.writer.run())
                try:
                    await self._work(core, life)
                finally:
                    core.writer.close()

    def _fail(self, failure: Exception) -> None:
        for part in self.readiness.parts():
            if not part.ready:
                self.readiness.set(part.name, ready=False, detail=str(failure))
        self._failure = failure
        self._started.set()

    async def _work(self, core: Core, life: Life) -> None:
        claims = Claims(core, self.workflows, core.options) if core.takes_runs else None
        sweep = ArtifactSweep(core.database, ArtifactFolder(self.folders.data), core.clock)
        programs = self.sandbox.work(self._kind, self.workflows.tools)
        beside = [self.stored_keys.uses.run, sweep.run, self.mcp.run, programs]
        shift = Shift(core, life, claims, self.settings.worker, beside)

        def begun() -> None:
            self._core = core
            self._started.set()

        await shift.run(self._stop, self.adapters.drain_s, begun)

    async def _start(self, stack: AsyncExitStack) -> tuple[Core, Life]:
        if self._kind in ("serve", "command"):  # somebody waits for it to be ready
            self._import_crew()
        url, revive = await database_url(self.settings, self.folders.data, stack)
        await migrate(url)
        if self._kind == "worker":
            self._import_crew()
        elif self._kind == "api":
            self.readiness.set(CREW, ready=True, detail="other processes work on runs")
        spool = DiskSpool(self.folders.data / "spool")
        core = make_core(
            self.settings,
            database_options(self.settings, url),
            self.runner,
            self.adapters,
            Process(process_name(), self._kind, self.call_metrics, spool),
            self.allowances,
        )
        for connection in core.journal_connections:
            stack.push_async_callback(connection.close)
        for part in (core.database, core.driver, core.limits_driver, core.broker, self.llm):
            stack.push_async_callback(part.close)
        stack.push_async_callback(self.sandbox.close)
        stack.callback(self.runner.close)
        await check_currency(core.database, self.settings.currency)
        zone, lease_s = self.allowances.quotas.zone.key, self.settings.worker.lease_s
        life = await begin_life(core, zone, lease_s, revive, stack)
        self.readiness.set(DATABASE, ready=True)
        await store_catalog(core, self.seeds, self.adapters.clock)
        await core.quota_feed.begin()
        self.readiness.set(CATALOG, ready=True)
        return core, life

    def _import_crew(self) -> None:
        import_in_background(
            self.folders.data, self.abilities(), self._crew_is_there, self._crew_failed
        )

    def abilities(self) -> Abilities:
        """What every asking of a model needs."""
        rates = ProviderRates(
            self.allowances.provider_rates, lambda: self.core().limits_driver, self.adapters.clock
        )
        return Abilities(
            client=self.adapters.chat_client or self.llm.client,
            models=self.llm.models,
            tools=self.tools.registry,
            invoker=self.tools.invoker,
            clock=self.adapters.clock,
            options=crew_options(self.settings.limits),
            rates=rates,
            more_tools=self.mcp,
        )

    def _crew_is_there(self, runner: StageRunner, close: Callable[[], None]) -> None:
        self.runner.set(runner, close)
        self.readiness.set(CREW, ready=True)

    def _crew_failed(self, failure: Exception) -> None:
        log.error("crew_import_failed", error=str(failure))
        self.runner.fail(failure)
        self.readiness.set(CREW, ready=False, detail=str(failure))
