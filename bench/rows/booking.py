"""How long the journal takes to open and to settle one call, over a generated ledger."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.entry import Entry
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.budgets import NoBudgets
from callsheet.journal.changes import Changes, RunKeys
from callsheet.journal.postgres import PostgresJournal
from callsheet.kit.ids import new_id
from tests.journal.stage import USER, gate, remember, wish

USAGE: Final = Usage(input_tokens=1000, cached_tokens=200, output_tokens=100)
COST: Final = Decimal("0.0002696")  # 800 at 0.28, 200 at 0.028, 100 at 0.4, per million
_PRICE: Final = "SELECT id FROM llm_prices WHERE (factory, model_code) = ('bench', 'plain')"


@dataclass(frozen=True, slots=True)
class _Run:
    """An admitted run of the generated ledger, and the price that its calls are booked with."""

    keys: RunKeys
    price_id: str


async def booking_ms(url: str, calls: int) -> tuple[list[float], list[float]]:
    """Milliseconds from the write to its commit: of each opening, and of each settling."""
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    connection = DriverConnection(DatabaseOptions(url))
    try:
        run = await _admitted(database)
        journal = PostgresJournal(connection, "USD", NoBudgets())
        opened, settled = [], []
        for number in range(calls):
            call_id, message_id = str(new_id()), str(new_id())
            opened.append(
                await _write(journal, run, 2 * number + 1, _started(run, call_id, message_id))
            )
            settled.append(
                await _write(journal, run, 2 * number + 2, _finished(call_id, message_id))
            )
        return opened, settled
    finally:
        await connection.close()
        await database.close()


async def _admitted(database: Database) -> _Run:
    await remember(database)
    ticket = await gate(database).admit(wish(new_id()))
    async with database.read() as tx:
        price_id = (await tx.exec_driver_sql(_PRICE)).scalar_one()
    return _Run(RunKeys(ticket.run_id, ticket.session_id, USER.user_id), str(price_id))


async def _write(journal: PostgresJournal, run: _Run, seq: int, event: AnyRunEvent) -> float:
    began = time.perf_counter()
    changes = Changes()
    changes.take(run.keys, event)
    await journal.write([(run.keys.run_id, Entry(seq, datetime.now(UTC), event))], changes)
    return (time.perf_counter() - began) * 1000


def _started(run: _Run, call_id: str, message_id: str) -> LlmCallStarted:
    return LlmCallStarted(
        call_id=call_id,
        message_id=message_id,
        agent_run_id="a",
        stage="execution",
        agent="worker",
        task="work",
        factory="bench",
        model="plain",
        attempt=1,
        started_at=datetime.now(UTC),
        price_id=run.price_id,
        reserved_cost=Decimal("0.01"),
        reserved_tokens=2000,
        currency="USD",
        visible=True,
        estimated_input_tokens=1000,
    )


def _finished(call_id: str, message_id: str) -> LlmCallFinished:
    return LlmCallFinished(
        call_id=call_id,
        message_id=message_id,
        status="settled",
        metered=MeteredUsage(usage=USAGE, source="provider", raw={"prompt_tokens": 1000}),
        cost_native=COST,
        cost_exact=COST,
        latency_ms=100,
        finish_reason="stop",
    )
