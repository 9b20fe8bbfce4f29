"""The rules that the database itself keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from callsheet.db.tables.agent_chat_message import AgentChatMessage
from callsheet.db.tables.agent_chat_session import AgentChatSession
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.tables.llm_price import LlmPrice
from callsheet.db.tables.run import Run
from callsheet.db.tables.user import User
from callsheet.db.transaction import Database, Tx


class Rows:
    """Inserts one row after another, each with what it needs to be valid."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx

    async def _add(self, table: Any, values: Mapping[str, Any]) -> UUID:
        result = await self.tx.execute(insert(table).values(**values).returning(table.id))
        return UUID(str(result.scalar_one()))

    async def user(self) -> UUID:
        return await self._add(User, {"name": str(uuid4())})

    async def session(self, **values: Any) -> UUID:
        return await self._add(AgentChatSession, {"user_id": await self.user(), **values})

    async def message(self, session: UUID, **values: Any) -> UUID:
        plain = {"session_id": session, "seq": 1, "role": "user", "content": "hi"}
        return await self._add(AgentChatMessage, plain | values)

    async def run(self, session: UUID, **values: Any) -> UUID:
        plain = {
            "session_id": session,
            "user_id": await self.user(),
            "workflow": "chat",
            "raw_run_id": "r",
            "raw_thread_id": "t",
        }
        return await self._add(Run, plain | values)

    async def price(self, **values: Any) -> UUID:
        plain = {
            "factory": "qwen",
            "model_code": "flash",
            "currency": "USD",
            "effective": text("'[2026-01-01,)'::tstzrange"),
            "source": "test",
        }
        return await self._add(LlmPrice, plain | values)

    async def call(self, **values: Any) -> UUID:
        plain = {
            "idempotency_key": str(uuid4()),
            "user_id": await self.user(),
            "purpose": "title",
            "factory": "qwen",
            "model_code": "flash",
            "price_currency": "USD",
            "currency": "USD",
        }
        price = values.pop("price_id", None) or await self.price(model_code=str(uuid4()))
        return await self._add(LlmCall, plain | {"price_id": price} | values)


NOW = text("now()")
SETTLED = {
    "status": "settled",
    "settled_at": NOW,
    "usage_source": "estimated",
    "usage_method": "characters",
}


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"message_count": -1}, "ck_sessions_message_count"),
        ({"total_tokens": -1}, "ck_sessions_total_tokens"),
        ({"total_cost": -1}, "ck_sessions_total_cost"),
        ({"user_id": uuid4()}, "fk_sessions_user_id"),
    ],
)
async def test_a_session_is_checked(
    database: Database, values: dict[str, Any], constraint: str
) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        await rows.session()
        with pytest.raises(IntegrityError, match=constraint):
            await rows.session(**values)
        await tx.rollback()


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"input_tokens": -1}, "ck_messages_input_tokens"),
        ({"output_tokens": -1}, "ck_messages_output_tokens"),
        ({"cost": -1}, "ck_messages_cost"),
        ({"seq": 1}, "uq_messages_session_seq"),
    ],
)
async def test_a_message_is_checked(
    database: Database, values: dict[str, Any], constraint: str
) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        session = await rows.session()
        await rows.message(session, seq=1)
        with pytest.raises(IntegrityError, match=constraint):
            await rows.message(session, **({"seq": 2} | values))
        await tx.rollback()


@pytest.mark.parametrize("status", ["queued", "running"])
async def test_a_session_has_one_active_run(database: Database, status: str) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        session = await rows.session()
        for ended in ("succeeded", "failed", "cancelled", "interrupted", "waiting_input"):
            await rows.run(session, status=ended)
        await rows.run(session, status="running")
        with pytest.raises(IntegrityError, match="uq_runs_active_session"):
            await rows.run(session, status=status)
        await tx.rollback()


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({**SETTLED, "status": "done"}, "ck_llm_calls_status"),
        ({"usage_source": "guess"}, "ck_llm_calls_usage_source"),
        ({"cached_tokens": -1}, "ck_llm_calls_not_negative"),
        ({"cost_exact": -1}, "ck_llm_calls_not_negative"),
        ({"input_tokens": 5, "cached_tokens": 3, "cache_write_tokens": 3}, "input_parts"),
        ({"output_tokens": 1, "reasoning_tokens": 2}, "output_parts"),
        ({"settled_at": NOW}, "ck_llm_calls_settled_at"),
        ({**SETTLED, "settled_at": None}, "ck_llm_calls_settled_at"),
        ({**SETTLED, "usage_source": None}, "ck_llm_calls_settled_source"),
        ({**SETTLED, "usage_source": "provider"}, "ck_llm_calls_raw_usage"),
        ({**SETTLED, "purpose": "answer", "own_session": True}, "ck_llm_calls_message"),
        ({"purpose": "answer"}, "ck_llm_calls_session"),
        ({"attempt": 0}, "ck_llm_calls_attempt"),
        ({"fx_rate": 0}, "ck_llm_calls_fx_rate"),
        ({"price_id": uuid4()}, "fk_llm_calls_price_id"),
        ({"idempotency_key": "taken"}, "uq_llm_calls_idempotency_key"),
    ],
)
async def test_a_ledger_row_is_checked(
    database: Database, values: dict[str, Any], constraint: str
) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        await rows.call(idempotency_key="taken")
        if values.pop("own_session", False):
            values["session_id"] = await rows.session()
        with pytest.raises(IntegrityError, match=constraint):
            await rows.call(**values)
        await tx.rollback()


async def test_ledger_rows_that_keep_the_rules_are_taken(database: Database) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        session = await rows.session()
        message = await rows.message(session)
        await rows.call(session_id=session, purpose="answer")
        await rows.call(**SETTLED)
        place = {"purpose": "answer", "session_id": session}
        await rows.call(**SETTLED, **place, message_id=message)
        await rows.call(**SETTLED | {"status": "failed", "usage_source": "none"}, **place)


@pytest.mark.parametrize(
    ("second", "is_refused"),
    [
        ({}, True),
        ({"effective": text("'[2027-01-01,)'::tstzrange")}, True),
        ({"effective": text("'[2025-01-01,2026-01-01)'::tstzrange")}, False),
        ({"factory": "deepseek"}, False),
        ({"model_code": "flash2"}, False),
        ({"unit": "second", "per_unit": 1}, False),
        ({"window_code": "peak"}, False),
        ({"tier_min_input": 1000}, False),
        ({"tier_min_input": 999}, True),
    ],
)
async def test_two_prices_are_never_valid_at_once(
    database: Database, second: dict[str, Any], *, is_refused: bool
) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        await rows.price(tier_max_input=1000)
        if is_refused:
            with pytest.raises(IntegrityError, match="ex_llm_prices_overlap"):
                await rows.price(**second)
            await tx.rollback()
        else:
            await rows.price(**second)


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"output_per_million": -1}, "not_negative"),
        ({"unit": "word", "per_unit": 1}, "ck_llm_prices_unit"),
        ({"unit": "image"}, "ck_llm_prices_per_unit"),
        ({"per_unit": 1}, "ck_llm_prices_per_unit"),
        ({"tier_min_input": 5, "tier_max_input": 5}, "ck_llm_prices_tier"),
        ({"effective": text("'empty'::tstzrange")}, "ck_llm_prices_effective"),
    ],
)
async def test_a_price_is_checked(
    database: Database, values: dict[str, Any], constraint: str
) -> None:
    async with database.transaction() as tx:
        with pytest.raises(IntegrityError, match=constraint):
            await Rows(tx).price(**values)
        await tx.rollback()


async def test_content_is_never_taken_along_by_a_delete(database: Database) -> None:
    async with database.transaction() as tx:
        rows = Rows(tx)
        await rows.message(await rows.session())
        with pytest.raises(IntegrityError, match="fk_messages_session_id"):
            await tx.execute(text("DELETE FROM sessions"))
        await tx.rollback()
