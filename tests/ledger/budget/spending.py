"""Users who spend through the journal's writer, as several processes do at once."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from callsheet.auth.principal import Principal, principal_named
from callsheet.auth.store import remember_user
from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.changes import Changes
from callsheet.journal.postgres import PostgresJournal
from callsheet.kit.ids import new_id
from callsheet.ledger.budget.limits import Limits, Override
from callsheet.ledger.budget.quotas import QuotaRules, Quotas
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.ledger.call import OpenedCall, SettledCall
from callsheet.ledger.price.price import Price
from callsheet.sessions.new_message import NewMessage
from tests.ledger.bookings import booking, the_price
from tests.sessions.rows import change, new_session, rows

NOW = datetime(2026, 2, 3, 12, 0, tzinfo=UTC)
PER_TOKEN = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a call counts."""

    user: Principal
    session_id: UUID
    run_id: UUID


async def spot(database: Database, name: str = "ada") -> Spot:
    """A user with a session and a run."""
    user = principal_named(name)
    async with database.transaction() as tx:
        await remember_user(tx, user)
    session_id, run_id = await new_session(database, user), new_id()
    await change(
        database,
        "INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, raw_thread_id) "
        "VALUES (:id, :session, :user, 'chat', 'succeeded', 'r', 't')",
        id=run_id, session=session_id, user=user.user_id,
    )  # fmt: skip
    return Spot(user, session_id, run_id)


def quotas_of(limits: Override, zone: str = "UTC", **users: Override) -> Quotas:
    ids = {principal_named(name).user_id: override for name, override in users.items()}
    return Quotas(QuotaRules(ZoneInfo(zone), Limits().but(limits), ids))


def some(**amounts: str | int) -> dict[Any, Decimal]:
    """Amounts by measure."""
    return {name: Decimal(amount) for name, amount in amounts.items()}


class Spender:
    """One writer with a connection of its own. A token costs a millionth."""

    def __init__(self, url: str, price: Price, quotas: Quotas) -> None:
        self._driver = DriverConnection(DatabaseOptions(url))
        self._journal = PostgresJournal(self._driver, "USD", BudgetGuard(quotas))
        self._price = price

    async def close(self) -> None:
        await self._driver.close()

    def call(self, at: Spot, tokens: int, **changed: Any) -> OpenedCall:
        """A call that holds that many tokens."""
        made = booking(at.session_id, at.run_id, self._price, Usage(input_tokens=1)).opened
        values: dict[str, Any] = {
            "user_id": at.user.user_id,
            "reserved_tokens": tokens,
            "reserved_cost": tokens * PER_TOKEN,
            "started_at": NOW,
            **changed,
        }
        return replace(made, **values)

    async def open(self, *calls: OpenedCall) -> Mapping[str, Refusal]:
        """Open them in one batch; the refusals by call."""
        messages = [
            NewMessage(str(call.message_id), call.session_id, "assistant", "", model_code="m")
            for call in calls
        ]
        sessions = {call.session_id for call in calls}
        written = await self._journal.write(
            [], Changes(sessions=sessions, new_messages=messages, opened_calls=list(calls))
        )
        return written.refusals

    async def settle(self, *used: tuple[OpenedCall, int]) -> None:
        """Settle them in one batch, each with that many tokens."""
        calls = [settled(call, tokens) for call, tokens in used]
        sessions = {call.session_id for call, _ in used}
        await self._journal.write([], Changes(sessions=sessions, settled_calls=calls))

    async def go_on(self, ended: OpenedCall, tokens: int, begun: OpenedCall) -> bool:
        """One call ends and the next begins in the same commit; whether it may."""
        message = NewMessage(
            str(begun.message_id), begun.session_id, "assistant", "", model_code="m"
        )
        written = await self._journal.write(
            [],
            Changes(
                sessions={ended.session_id, begun.session_id},
                new_messages=[message],
                opened_calls=[begun],
                settled_calls=[settled(ended, tokens)],
            ),
        )
        return not written.refusals


def settled(call: OpenedCall, tokens: int) -> SettledCall:
    usage = Usage(input_tokens=tokens)
    cost = tokens * PER_TOKEN
    return SettledCall(
        id=call.id,
        message_id=call.message_id,
        session_id=call.session_id,
        status="settled",
        metered=MeteredUsage(usage=usage, source="provider"),
        raw_usage="{}",
        price_id=None,
        cost_native=cost,
        cost_exact=cost,
        latency_ms=1,
        first_token_at=None,
        finish_reason="stop",
        error_code=None,
        upstream_id=None,
        response_model=None,
    )


@asynccontextmanager
async def spender(database: Database, url: str, quotas: Quotas) -> AsyncIterator[Spender]:
    made = Spender(url, await known_price(database), quotas)
    try:
        yield made
    finally:
        await made.close()


async def known_price(database: Database) -> Price:
    if not await rows(database, "SELECT 1 FROM llm_prices"):
        return await the_price(database)
    (row,) = await rows(database, "SELECT id FROM llm_prices")
    return Price(
        id=row[0], factory="f", model_code="m", currency="USD", valid_from=None, valid_to=None,
        input_per_million=Decimal(1), cached_per_million=Decimal(0),
        cache_write_per_million=None, output_per_million=Decimal(3), reasoning_per_million=None,
    )  # fmt: skip


async def spend(spender_: Spender, spots: Sequence[Spot], seed: int, rounds: int) -> int:
    """Batches over several users, opened and settled in any order; how many were refused."""
    chance = random.Random(seed)
    refused = 0
    for _ in range(rounds):
        calls = [
            spender_.call(at, chance.randint(50, 100))
            for at in chance.choices(spots, k=chance.randint(1, 5))
        ]
        refusals = await spender_.open(*calls)
        refused += len(refusals)
        opened = [call for call in calls if call.id not in refusals]
        chance.shuffle(opened)
        if opened:
            await spender_.settle(
                *[(call, chance.randint(1, call.reserved_tokens)) for call in opened]
            )
    return refused
