"""Ledger rows for reports, each one statement."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import text

from callsheet.auth.principal import user_id_of
from callsheet.db.transaction import Database

NOON: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
PRICE: Final = UUID(int=77)

_CALL: Final = text("""
INSERT INTO llm_calls (id, idempotency_key, run_id, session_id, message_id, user_id, purpose, stage,
  agent, tool, attempt, factory, model_code, upstream_id, price_id, unpriced, status,
  usage_source, usage_method, input_tokens, cached_tokens, cache_write_tokens, output_tokens,
  reasoning_tokens, price_currency, cost_native, fx_rate, cost_exact, currency, reserved_cost,
  raw_usage, started_at, settled_at)
VALUES (:id, gen_random_uuid()::text, :run_id, :session_id, :message_id, :user_id, :purpose, :stage,
  :agent, :tool, :attempt, :factory, :model_code, :upstream_id, :price_id, :unpriced, :status,
  :usage_source, :usage_method, :input_tokens, :cached_tokens, :cache_write_tokens, :output_tokens,
  :reasoning_tokens, :price_currency, :cost_native, :fx_rate, :cost_exact, :currency,
  :reserved_cost, CAST(:raw_usage AS jsonb), :started_at, :settled_at)
""")


async def run(database: Database, statement: str, **values: Any) -> None:
    async with database.transaction() as tx:
        await tx.execute(text(statement), values)


async def add_user(database: Database, name: str) -> UUID:
    """The user of that name, who may be there already."""
    await run(
        database,
        "INSERT INTO users (id, name) VALUES (:id, :name) ON CONFLICT DO NOTHING",
        id=user_id_of(name),
        name=name,
    )
    return user_id_of(name)


async def add_price(database: Database, **changes: Any) -> UUID:
    """A price of f/m: 1 for a million of input, 2 for a million of output, from 2020 on."""
    values = {
        "id": PRICE,
        "factory": "f",
        "model": "m",
        "currency": "USD",
        "input": Decimal(1),
        "output": Decimal(2),
        "since": datetime(2020, 1, 1, tzinfo=UTC),
        "until": None,
        "verified": True,
        **changes,
    }
    await run(
        database,
        "INSERT INTO llm_prices (id, factory, model_code, currency, effective, input_per_million, "
        "cached_per_million, output_per_million, source, verified) VALUES (:id, :factory, :model, "
        ":currency, tstzrange(:since, :until), :input, :input, :output, 't', :verified) "
        "ON CONFLICT (id) DO NOTHING",
        **values,
    )
    return UUID(str(values["id"]))


async def add_run(database: Database, user: str, workflow: str = "chat") -> tuple[UUID, UUID, UUID]:
    """A session of the user with one run and one answer: their ids."""
    user_id = await add_user(database, user)
    session_id, run_id, message_id = uuid4(), uuid4(), uuid4()
    await run(
        database,
        "INSERT INTO sessions (id, user_id) VALUES (:id, :user)",
        id=session_id,
        user=user_id,
    )
    await run(
        database,
        "INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, raw_thread_id) "
        "VALUES (:id, :session, :user, :workflow, 'succeeded', 'r', 't')",
        id=run_id,
        session=session_id,
        user=user_id,
        workflow=workflow,
    )
    await run(
        database,
        "INSERT INTO messages (id, session_id, seq, role, content, currency) "
        "VALUES (:id, :session, 1, 'assistant', '', 'USD')",
        id=message_id,
        session=session_id,
    )
    return session_id, run_id, message_id


async def add_call(database: Database, user: str = "ada", **changes: Any) -> UUID:
    """A settled call at noon of 2026-11-30: 1000 in, 500 out, 0.002 USD; `changes` replace any.

    `of` is what `add_run` gave; without it the call belongs to no session and embeds something.
    """
    await add_price(database)
    session_id, run_id, message_id = changes.pop("of", (None, None, None))
    status = changes.get("status", "settled")
    started_at = changes.get("started_at", NOON)
    cost = changes.get("cost_exact", Decimal("0.002"))
    values: dict[str, Any] = {
        "id": uuid4(),
        "run_id": run_id,
        "session_id": session_id,
        "message_id": message_id,
        "user_id": await add_user(database, user),
        "purpose": "answer" if session_id else "embedding",
        "stage": None,
        "agent": None,
        "tool": None,
        "attempt": 1,
        "factory": "f",
        "model_code": "m",
        "upstream_id": None,
        "price_id": PRICE,
        "unpriced": False,
        "status": status,
        "usage_source": None if status == "open" else "provider",
        "usage_method": None,
        "input_tokens": 1000,
        "cached_tokens": 0,
        "cache_write_tokens": 0,
        "output_tokens": 500,
        "reasoning_tokens": 0,
        "price_currency": "USD",
        "cost_native": cost,
        "fx_rate": Decimal(1),
        "cost_exact": cost,
        "currency": "USD",
        "reserved_cost": Decimal(0),
        "raw_usage": None if status == "open" else "{}",
        "started_at": started_at,
        "settled_at": None if status == "open" else started_at,
        **changes,
    }
    async with database.transaction() as tx:
        await tx.execute(_CALL, values)
    return UUID(str(values["id"]))


async def add_open(database: Database, user: str = "ada", **changes: Any) -> UUID:
    """A call that has not ended; 0.5 USD are held for it."""
    values: dict[str, Any] = {
        "status": "open",
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_exact": Decimal(0),
        "reserved_cost": Decimal("0.5"),
        **changes,
    }
    return await add_call(database, user, **values)


async def add_estimated(database: Database, user: str = "ada", **changes: Any) -> UUID:
    """A call that was cut: its tokens are estimated."""
    values: dict[str, Any] = {
        "status": "aborted",
        "usage_source": "estimated",
        "usage_method": "counted",
        "raw_usage": None,
        **changes,
    }
    return await add_call(database, user, **values)


async def add_unpriced(database: Database, user: str = "ada", **changes: Any) -> UUID:
    """A call of a model without a price, which the deployment lets through."""
    values: dict[str, Any] = {
        "price_id": None,
        "unpriced": True,
        "cost_exact": Decimal(0),
        "model_code": "free-for-now",
        **changes,
    }
    return await add_call(database, user, **values)
