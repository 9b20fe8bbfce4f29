"""Everything that needs the database: made once its address is known."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from callsheet.admission.gate import Gate
from callsheet.admission.going_on import GoingOn
from callsheet.admission.limits import TurnLimits
from callsheet.admission.options import AdmissionOptions
from callsheet.db.channel import Channel
from callsheet.db.driver import DriverConnection
from callsheet.db.driver_pool import DriverPool
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.jobs.local import LocalJobs
from callsheet.journal.options import JournalOptions
from callsheet.journal.recovery import Recovery
from callsheet.journal.spool import Spool
from callsheet.journal.writer import JournalWriter
from callsheet.kit.clock import Clock
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.ledger.price.book import PriceBook
from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.settings import Settings
from callsheet.stream.shared import SharedBroker
from callsheet.turn.engine import TurnEngine
from callsheet.turn.ports import CallWatch, StageRunner
from callsheet.turn.turn import Turns
from callsheet.wiring.adapters import Adapters
from callsheet.wiring.allowances import Allowances
from callsheet.wiring.carriers import make_carrier
from callsheet.wiring.history import SessionHistory
from callsheet.wiring.last_viewers import LastViewers
from callsheet.wiring.lone_sweep import LoneSweep
from callsheet.wiring.price_feed import PriceFeed
from callsheet.wiring.quota_feed import QuotaFeed
from callsheet.wiring.revisions import Revisions
from callsheet.wiring.steering import RunSteering
from callsheet.wiring.stop_orders import StopOrders
from callsheet.wiring.stored_journal import StoredJournal
from callsheet.wiring.strays import Strays
from callsheet.wiring.upkeep import Upkeep, UpkeepOptions
from callsheet.wiring.waiting_runs import WaitingRuns
from callsheet.wiring.warm_queue import WarmQueue

VIEWS: Final = "callsheet_views"
"""The channel in which processes tell each other who looks at what, and that there is more."""
_COMMITS_AT_ONCE: Final = 2


@dataclass(frozen=True, slots=True)
class Core:
    """The working parts of one process."""

    clock: Clock
    options: DatabaseOptions
    database: Database
    journal_connections: Sequence[DriverConnection]
    driver: DriverPool
    prices: PriceBook
    price_feed: PriceFeed
    quota_feed: QuotaFeed
    limits_driver: DriverPool
    turn_limits: TurnLimits
    broker: SharedBroker
    last_viewers: LastViewers
    upkeep: Upkeep
    writer: JournalWriter
    recovery: Recovery
    spool: Spool
    gate: Gate
    going_on: GoingOn
    turns: Turns
    jobs: LocalJobs
    queue: WarmQueue
    revisions: Revisions
    steering: RunSteering
    strays: Strays
    stop_orders: StopOrders
    waiting_runs: WaitingRuns
    lone_sweep: LoneSweep
    worker_id: str
    kind: WorkerKind
    currency: str

    @property
    def takes_runs(self) -> bool:
        """Whether this process works on runs that others have let in."""
        return self.kind in ("serve", "worker")

    @property
    def beside(self) -> tuple[Callable[[], Awaitable[None]], ...]:
        """What runs beside the turns."""
        parts = (
            self.price_feed,
            self.quota_feed,
            self.strays,
            self.stop_orders,
            self.broker,
            self.last_viewers,
            self.upkeep,
            self.waiting_runs,
            self.lone_sweep,
        )
        return tuple(part.run for part in parts)

    def drain(self) -> None:
        """Begin no run any more, and end the views of runs that no end of this process ends."""
        self.jobs.stop()
        for run_id in self.broker.looked_at():
            if not self.jobs.has(run_id):
                self.broker.break_off(run_id, None)


@dataclass(frozen=True, slots=True)
class Process:
    """What a process brings: its name, what it does, who hears of calls, its place on disk."""

    worker_id: str
    kind: WorkerKind
    watch: CallWatch
    spool: Spool


def process_name() -> str:
    """Tells people where it is, and is never given twice."""
    return f"{socket.gethostname()}:{os.getpid()}:{new_id()}"


def database_options(settings: Settings, url: str) -> DatabaseOptions:
    """How to reach the database at `url`."""
    return DatabaseOptions(
        url=url,
        pool_size=settings.database.pool_size,
        pool_overflow=settings.database.pool_overflow,
        pool_timeout_s=settings.database.pool_timeout_s,
        statement_timeout_s=settings.database.statement_timeout_s,
    )


def make_core(
    settings: Settings,
    options: DatabaseOptions,
    runner: StageRunner,
    adapters: Adapters,
    process: Process,
    allowances: Allowances,
) -> Core:
    """Plug the rooms together; nothing connects or runs yet."""
    spool = process.spool
    clock: Clock = adapters.clock
    database = Database.from_options(options)
    connections = [DriverConnection(options) for _ in range(_COMMITS_AT_ONCE)]
    driver = DriverPool(options)
    limits_driver = DriverPool(options)  # waits for other users of its own, while runs are let in
    quotas = allowances.quotas
    prices = PriceBook(currency=settings.currency, allow_unpriced=settings.allow_unpriced)
    jobs = LocalJobs(0 if process.kind == "api" else settings.limits.concurrent_runs)
    queue = WarmQueue()
    broker = SharedBroker(
        StoredJournal(database),
        Channel(options, VIEWS),
        clock,
        jobs.has,
        carrier=make_carrier(settings.stream),
    )
    writer = JournalWriter(
        [
            adapters.journal(connection, settings.currency, BudgetGuard(quotas))
            for connection in connections
        ],
        broker.publish,
        clock,
        JournalOptions(),
        spool,
    )
    gate = Gate(
        database,
        driver,
        clock,
        jobs,
        queue,
        AdmissionOptions(
            process.worker_id,
            settings.currency,
            settings.title_word,
            settings.limits.waiting_runs,
            settings.limits.waiting_s,
        ),
    )
    steering = RunSteering(database, jobs, process.worker_id)
    engine = TurnEngine(runner, SessionHistory(database), clock, steering)
    return Core(
        clock=clock,
        options=options,
        database=database,
        journal_connections=connections,
        driver=driver,
        prices=prices,
        price_feed=PriceFeed(database, prices),
        quota_feed=QuotaFeed(database, quotas, clock),
        limits_driver=limits_driver,
        turn_limits=TurnLimits(
            limits_driver, quotas, allowances.user_rate, clock, settings.currency
        ),
        broker=broker,
        last_viewers=LastViewers(broker, jobs, clock),
        upkeep=Upkeep(
            database,
            clock,
            UpkeepOptions(settings.journal.pack_after_days, settings.journal.keep_days),
        ),
        writer=writer,
        recovery=Recovery(database, writer, process.worker_id, spool, jobs.has),
        spool=spool,
        gate=gate,
        going_on=GoingOn(database, gate),
        turns=Turns(engine, prices, clock, process.watch),
        jobs=jobs,
        queue=queue,
        revisions=Revisions(database),
        steering=steering,
        strays=Strays(database, jobs, process.worker_id),
        stop_orders=StopOrders(options, database, jobs),
        waiting_runs=WaitingRuns(database, clock),
        lone_sweep=LoneSweep(database, driver, BudgetGuard(quotas), clock),
        worker_id=process.worker_id,
        kind=process.kind,
        currency=settings.currency,
    )
