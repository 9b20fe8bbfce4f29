"""The audit is silent about a sound database and finds every kind of fault."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from callsheet.db.transaction import Database
from callsheet.ledger.audit import QUERIES, run_audit
from tests.fixtures.booked import book_turns, change

FAULTS = {
    "a message's cost": (
        {1, 2},
        "UPDATE messages SET cost = cost + 0.000001 WHERE id = :message_id",
    ),
    "a message's tokens": (
        {1, 2},
        "UPDATE messages SET input_tokens = 1001 WHERE id = :message_id",
    ),
    "a call's tokens": ({1, 3}, "UPDATE llm_calls SET output_tokens = 301 WHERE id = :call_id"),
    "a call's cost": (
        {3},
        "UPDATE llm_calls SET cost_exact = cost_exact + 1e-12 WHERE id = :call_id",
    ),
    "a session's cost": ({2}, "UPDATE sessions SET total_cost = 0 WHERE id = :session_id"),
    "a session's tokens": ({2}, "UPDATE sessions SET total_tokens = 1 WHERE id = :session_id"),
    "a session's count": ({2}, "UPDATE sessions SET message_count = 1 WHERE id = :session_id"),
    "a lost message": (
        {2},
        "UPDATE messages SET deleted_at = now() WHERE id = :message_id",
    ),
    "two currencies": ({2}, "UPDATE messages SET currency = 'CNY' WHERE id = :message_id"),
    "a call of another model": (
        {8},
        "UPDATE llm_calls SET model_code = 'qwen-other' WHERE id = :call_id",
    ),
    "a call before its price": (
        {8},
        "UPDATE llm_calls SET started_at = '2025-12-31' WHERE id = :call_id",
    ),
}


async def faults_of(database: Database) -> set[int]:
    return {
        result.query.number
        for result in await run_audit(database)
        if result.query.kind == "differences" and result.rows
    }


async def test_a_sound_database_has_no_differences_and_its_sums_agree(database: Database) -> None:
    await book_turns(database, turns=3)
    results = {result.query.number: result for result in await run_audit(database)}
    assert sorted(results) == [query.number for query in QUERIES] == list(range(1, 9))
    assert all(not r.rows for r in results.values() if r.query.kind == "differences")
    spend = dict(zip(results[4].columns, results[4].rows[0], strict=True))
    assert (spend["factory"], spend["calls"], spend["input_tokens"]) == ("qwen", 3, 3000)
    assert f"{spend['cost']:f}" == "0.002400"
    assert f"{spend['cached_percent']:f}" == "20.0"


async def test_an_empty_database_is_sound(database: Database) -> None:
    assert all(not result.rows for result in await run_audit(database))


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_planted_fault_is_found(database: Database, fault: str) -> None:
    found_by, statement = FAULTS[fault]
    booked = await book_turns(database)
    names = {name: value for name, value in asdict(booked).items() if f":{name}" in statement}
    await change(database, statement, names)
    assert await faults_of(database) == found_by


async def test_an_open_call_is_uncertain_and_no_difference(database: Database) -> None:
    booked = await book_turns(database)
    await change(
        database,
        "INSERT INTO llm_calls (id, idempotency_key, session_id, message_id, user_id, factory, "
        "model_code, price_id, price_currency, currency, reserved_cost) SELECT gen_random_uuid(), "
        "'open', session_id, message_id, user_id, factory, model_code, price_id, 'USD', 'USD', 0.5 "
        "FROM llm_calls WHERE id = :call_id",
        {"call_id": booked.call_id},
    )
    results = {result.query.number: result for result in await run_audit(database)}
    assert await faults_of(database) == set()
    uncertain = dict(zip(results[5].columns, results[5].rows[0], strict=True))
    assert (uncertain["status"], uncertain["calls"], uncertain["reserved"]) == ("open", 1, 0.5)
