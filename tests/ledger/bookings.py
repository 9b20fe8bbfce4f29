"""Calls to book, and what writes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from callsheet.db.driver import DriverConnection
from callsheet.db.transaction import Database
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.ids import new_id
from callsheet.kit.money import to_ledger
from callsheet.ledger.audit.audit import run_audit
from callsheet.ledger.call import OpenedCall, SettledCall
from callsheet.ledger.journal_store import lock_counters, open_calls, settle_calls
from callsheet.ledger.price.cost import cost_of
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.store import load_prices
from callsheet.sessions.journal_store import add_messages, lock_sessions
from callsheet.sessions.new_message import NewMessage
from tests.journal.stage import price
from tests.sessions.rows import MINE, rows

RAW = '{"prompt_tokens": 1, "weird": "世界"}'


@dataclass(frozen=True)
class Booking:
    """One answer with its call, from a writer of its own."""

    session_id: UUID
    opened: OpenedCall
    settled: SettledCall

    @property
    def message(self) -> NewMessage:
        return NewMessage(
            str(self.opened.message_id), self.session_id, "assistant", "", model_code="m"
        )


async def the_price(database: Database) -> Price:
    await price(database)
    async with database.read() as tx:
        (found,) = await load_prices(tx)
    return found


async def run_of(database: Database, session_id: UUID) -> UUID:
    run_id = new_id()
    async with database.transaction() as tx:
        await tx.exec_driver_sql(
            "INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, "
            "raw_thread_id) VALUES ($1, $2, $3, 'chat', 'succeeded', 'r', 't')",
            (run_id, session_id, MINE.user_id),
        )
    return run_id


def used(usage: Usage) -> MeteredUsage:
    return MeteredUsage(usage=usage, source="provider")


def booking(session_id: UUID, run_id: UUID, priced: Price, usage: Usage, **settled: Any) -> Booking:
    call_id, message_id = str(new_id()), str(new_id())
    cost = to_ledger(cost_of(usage, priced))
    opened = OpenedCall(
        id=call_id,
        run_id=run_id,
        session_id=session_id,
        user_id=MINE.user_id,
        message_id=message_id,
        purpose="answer",
        stage="execution",
        agent="worker",
        attempt=1,
        factory="f",
        model_code="m",
        price_id=str(priced.id),
        price_currency="USD",
        fx_rate=Decimal(1),
        currency="USD",
        tool=None,
        reserved_tokens=1000,
        reserved_cost=Decimal("0.5"),
        started_at=datetime(2026, 2, 1, tzinfo=UTC),
    )
    values: dict[str, Any] = {
        "id": call_id,
        "message_id": message_id,
        "session_id": session_id,
        "status": "settled",
        "metered": used(usage),
        "price_id": None,
        "raw_usage": RAW,
        "cost_native": cost,
        "cost_exact": cost,
        "latency_ms": 12,
        "first_token_at": datetime(2026, 2, 1, 0, 0, 1, tzinfo=UTC),
        "finish_reason": "stop",
        "error_code": None,
        "upstream_id": "up-1",
        "response_model": "m-2026",
    }
    return Booking(session_id, opened, SettledCall(**{**values, **settled}))


async def open_(driver: DriverConnection, *bookings: Booking) -> None:
    async with driver.transaction() as tx:
        await lock_sessions(tx, {b.session_id for b in bookings})
        await add_messages(tx, [b.message for b in bookings], "USD")
        await lock_counters(tx)
        await open_calls(tx, [b.opened for b in bookings], "UTC")


async def settle(driver: DriverConnection, *calls: SettledCall) -> None:
    async with driver.transaction() as tx:
        await lock_sessions(tx, {call.session_id for call in calls})
        await lock_counters(tx)
        await settle_calls(tx, calls, "UTC")


async def totals(database: Database) -> list[tuple[Any, ...]]:
    return await rows(
        database, "SELECT total_tokens, total_cost FROM sessions ORDER BY total_cost, id"
    )


async def assert_sound(database: Database) -> None:
    for result in await run_audit(database):
        assert result.query.kind == "report" or result.rows == (), result.query.title
