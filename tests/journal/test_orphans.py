"""Calls that a process left open are settled with what they were opened with, or with nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from callsheet.db.transaction import Database
from callsheet.events.call import LlmCallFinished
from callsheet.journal.recovery import Recovery
from callsheet.journal.spool import DiskSpool
from callsheet.journal.written import WriteRefused
from callsheet.kit.errors import QuotaSpent
from callsheet.ledger.budget.store import BudgetGuard
from callsheet.runs.event_store import read_events
from callsheet.turn.meter import CallEnd
from tests.fakes.spool import NoSpool
from tests.fixtures.booked import change
from tests.journal.measuring import COST, MEASURED, open_call
from tests.journal.stage import Admitted, admitted, end_run, recovery_of
from tests.journal.test_writer import FlakyStore, assert_audited, rows, writing
from tests.ledger.budget.spending import quotas_of, some

ESTIMATE = Decimal("0.00005")  # 50 tokens at 1 a million
BOOKED = "SELECT status, usage_source, cost_native, cost_exact, unpriced, error_code FROM llm_calls"


async def left_open(database: Database, database_url: str, **more: Any) -> Admitted:
    """A run with a call open, whose process is gone."""
    run = await admitted(database)
    async with writing(database_url, []) as writer:
        await open_call(writer, database, run, **more)
    return run


@asynccontextmanager
async def recovery(
    database: Database, database_url: str, folder: Path | None = None
) -> AsyncIterator[Recovery]:
    spool = NoSpool() if folder is None else DiskSpool(folder)
    stores: list[FlakyStore] = []
    async with writing(database_url, [], spool=spool, stores=stores) as writer:
        stores[0].after_refusal = 1
        yield recovery_of(database, writer, "w2", spool)


async def test_an_orphan_costs_what_held_when_it_began(
    database: Database, database_url: str
) -> None:
    run = await left_open(database, database_url)
    await change(database, "UPDATE llm_prices SET effective = tstzrange('2026-01-01', now())", {})
    await change(
        database,
        "INSERT INTO llm_prices (factory, model_code, currency, effective, input_per_million, "
        "cached_per_million, output_per_million, source) "
        "VALUES ('f', 'm', 'EUR', tstzrange(now(), NULL), 99, 9, 999, 't')",
        {},
    )
    async with recovery(database, database_url) as one:
        await end_run(one, database, run.keys.run_id)
    assert await rows(database, BOOKED) == [
        ("orphaned", "estimated", ESTIMATE, ESTIMATE, False, "worker_died")
    ]
    await assert_audited(database)


async def test_an_orphan_keeps_its_rate_where_there_is_none_any_more(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    await change(database, "UPDATE llm_prices SET currency = 'CNY'", {})
    rate = "INSERT INTO fx_rates (base, quote, rate, valid_from, source) VALUES "
    await change(database, rate + "('CNY', 'USD', 0.14, '2026-01-01', 't')", {})
    async with writing(database_url, []) as writer:
        await open_call(writer, database, run)
    await change(database, "DELETE FROM fx_rates", {})
    async with recovery(database, database_url) as one:
        await end_run(one, database, run.keys.run_id)
    assert await rows(database, BOOKED) == [
        ("orphaned", "estimated", ESTIMATE, ESTIMATE * Decimal("0.14"), False, "worker_died")
    ]


async def test_an_orphan_that_had_no_price_gets_none_from_a_later_list(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    await change(database, "DELETE FROM llm_prices", {})
    async with writing(database_url, []) as writer:
        await open_call(writer, database, run, allow_unpriced=True)
    await change(
        database,
        "INSERT INTO llm_prices (factory, model_code, currency, effective, input_per_million, "
        "cached_per_million, output_per_million, source) "
        "VALUES ('f', 'm', 'CNY', tstzrange('2026-01-01', NULL), 99, 9, 999, 't')",
        {},
    )
    async with recovery(database, database_url) as one:
        await end_run(one, database, run.keys.run_id)
    assert await rows(database, BOOKED) == [("orphaned", "estimated", 0, 0, True, "worker_died")]
    await assert_audited(database)


async def test_a_refused_call_whose_process_died_at_once_has_cost_nothing(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    guard = BudgetGuard(quotas_of({"run": some(calls=0)}))
    async with writing(database_url, [], budgets=guard) as writer:
        with pytest.raises(QuotaSpent):
            await open_call(writer, database, run)
    await change(database, "DELETE FROM run_events WHERE event->>'kind' = 'llm_call_finished'", {})
    async with recovery(database, database_url) as one:
        await end_run(one, database, run.keys.run_id)
    async with database.read() as tx:
        events = [entry.event for entry in await read_events(tx, run.keys.run_id, 0, 100)]
    assert [e.status for e in events if isinstance(e, LlmCallFinished)] == ["refused"]
    assert await rows(database, "SELECT usage, error_code FROM runs") == [([], "worker_died")]
    assert await rows(database, "SELECT count(*) FROM llm_calls") == [(0,)]
    await assert_audited(database)


@pytest.mark.parametrize(
    ("of_message", "of_session"),
    [
        ("input_tokens = 2147483000", "total_tokens = 2147483000"),
        ("cost = 999999.9999", "total_cost = 999999.9999"),
    ],
)
async def test_what_a_full_session_cannot_take_ends_its_run_and_is_booked_as_a_correction(
    database: Database, database_url: str, tmp_path: Path, of_message: str, of_session: str
) -> None:
    run, spool = await admitted(database), DiskSpool(tmp_path)
    await change(database, f"UPDATE sessions SET {of_session}", {})
    await change(database, f"UPDATE messages SET {of_message} WHERE role = 'user'", {})
    async with writing(database_url, [], spool=spool) as writer:
        call, recorder, _ = await open_call(writer, database, run)
        call.close(CallEnd(status="settled", metered=MEASURED))
        with pytest.raises(WriteRefused):
            await recorder.stored()
    async with recovery(database, database_url, tmp_path) as one:
        await end_run(one, database, run.keys.run_id)
        assert await rows(database, BOOKED) == [("orphaned", "none", 0, 0, False, "not_booked")]
        assert await rows(database, "SELECT status FROM runs") == [("interrupted",)]
        held = "SELECT DISTINCT reserved_tokens, reserved_cost FROM budget_counters"
        assert await rows(database, held) == [(0, 0)]
        await one.book_late()
    assert await rows(database, "SELECT call_id::text, amount, reason FROM cost_adjustments") == [
        (call.call_id, COST, "more than its session can hold")
    ]
    assert await spool.runs() == ()
