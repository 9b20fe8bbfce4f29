"""A session, a user message, a queued run and a price: what a run's journal is written against."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text

from callsheet.admission.admitted import AdmissionRequest
from callsheet.admission.gate import Gate
from callsheet.admission.options import AdmissionOptions
from callsheet.auth.principal import Principal, principal_named
from callsheet.auth.store import remember_user
from callsheet.db.driver_pool import DriverPool
from callsheet.db.joined import Joined
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.jobs.pgqueuer import PgQueuer
from callsheet.journal.changes import RunKeys
from callsheet.journal.recovery import Recovery
from callsheet.journal.spool import Spool
from callsheet.journal.writer import JournalWriter
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import lease_of, take_over

USER = principal_named("tester")


@dataclass(frozen=True, slots=True)
class Admitted:
    """One admitted run and the price that its calls are booked with."""

    keys: RunKeys
    message_id: UUID
    price_id: UUID


class HandsOn:
    """A process that has every run in its hands that was not taken from it."""

    def __init__(self) -> None:
        self.expected: set[UUID] = set()
        self.lost: set[UUID] = set()

    def has(self, run_id: UUID) -> bool:
        return run_id not in self.lost

    def expect(self, run_id: UUID) -> None:
        self.expected.add(run_id)

    def forget(self, run_id: UUID) -> None:
        self.expected.discard(run_id)


class BriefPool(DriverPool):
    """Keeps no connection open after its use."""

    def __init__(self, database: Database) -> None:
        url = database.engine.url.render_as_string(hide_password=False)
        super().__init__(DatabaseOptions(url), size=1)

    @asynccontextmanager
    async def joined(self) -> AsyncIterator[Joined]:
        try:
            async with super().joined() as tx:
                yield tx
        finally:
            for connection in self._connections:
                await connection.close()


def gate(database: Database, worker_id: str = "w1", own_runs: HandsOn | None = None) -> Gate:
    return Gate(
        database,
        BriefPool(database),
        SystemClock(),
        own_runs or HandsOn(),
        PgQueuer(),
        AdmissionOptions(worker_id, "USD", "新对话"),
    )


def recovery_of(
    database: Database, writer: JournalWriter, worker_id: str, spool: Spool
) -> Recovery:
    """The recovery of a process that works on nothing."""
    return Recovery(database, writer, worker_id, spool, lambda _: False)


async def take(database: Database, run: Admitted) -> None:
    """Give the run of w1 to w2."""
    async with database.transaction() as tx:
        assert await take_over(tx, run.keys.run_id, Lease("w1", 0), "w2") is not None


async def end_run(recovery: Recovery, database: Database, run_id: UUID) -> bool:
    """End the run, whoever has it now."""
    async with database.read() as tx:
        seen = await lease_of(tx, run_id)
    assert seen is not None
    return await recovery.end(run_id, seen)


def wish(session_id: UUID, text_: str = "Hello", user: Principal = USER) -> AdmissionRequest:
    run_id = new_id()
    return AdmissionRequest(
        user_id=user.user_id,
        session_id=session_id,
        raw_thread_id=str(session_id),
        run_id=run_id,
        raw_run_id=str(run_id),
        message_id=new_id(),
        text=text_,
        workflow="chat",
        protocol="1.0",
        trace_id="trace",
    )


async def remember(database: Database, user: Principal = USER) -> None:
    async with database.transaction() as tx:
        await remember_user(tx, user)


async def price(database: Database) -> UUID:
    price_id = new_id()
    async with database.transaction() as tx:
        await tx.execute(
            text(
                "INSERT INTO llm_prices (id, factory, model_code, currency, effective,"
                " input_per_million, cached_per_million, output_per_million, source)"
                " VALUES (:id, 'f', 'm', 'USD', tstzrange('2026-01-01', NULL), 1, 0.1, 3, 'test')"
            ),
            {"id": price_id},
        )
    return price_id


async def admitted(database: Database) -> Admitted:
    await remember(database)
    request = wish(new_id())
    ticket = await gate(database).admit(request)
    keys = RunKeys(ticket.run_id, ticket.session_id, USER.user_id)
    return Admitted(keys, ticket.message_id, await price(database))
