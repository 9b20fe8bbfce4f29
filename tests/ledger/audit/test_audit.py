"""The audit is silent about a sound database, and its reports say what is in the ledger."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from callsheet.db.transaction import Database
from callsheet.ledger.audit.audit import QUERIES, AuditResult, run_audit
from tests.fixtures.booked import book_turns, change

COPY = (
    "INSERT INTO llm_calls (id, idempotency_key, run_id, session_id, message_id, user_id, factory, "
    "model_code, price_id, price_currency, currency, {columns}) SELECT gen_random_uuid(), "
    "gen_random_uuid()::text, run_id, session_id, message_id, user_id, factory, model_code, "
    "price_id, 'USD', 'USD', {values} FROM llm_calls WHERE id = :call_id"
)


async def audited(database: Database) -> dict[int, AuditResult]:
    return {result.query.number: result for result in await run_audit(database)}


def records(result: AuditResult) -> list[dict[str, Any]]:
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


def differences(results: dict[int, AuditResult]) -> set[int]:
    return {n for n, each in results.items() if each.query.kind == "differences" and each.rows}


def test_the_queries_are_numbered_in_their_order() -> None:
    assert [query.number for query in QUERIES] == list(range(1, len(QUERIES) + 1))
    assert len(QUERIES) >= 12
    assert len({query.title for query in QUERIES}) == len(QUERIES)


async def test_a_sound_database_has_no_differences_and_its_sums_agree(database: Database) -> None:
    await book_turns(database, turns=3)
    results = await audited(database)
    assert differences(results) == set()
    [spend] = records(results[4])
    assert (spend["factory"], spend["calls"], spend["input_tokens"]) == ("qwen", 3, 3000)
    assert f"{spend['cost']:f}" == "0.002400"
    assert f"{spend['cached_percent']:f}" == "20.0"
    [month] = records(results[15])
    assert (month["calls"], month["tokens"], f"{month['cost']:f}") == (3, 3900, "0.002400")
    [model] = records(results[17])
    assert f"{model['cost_per_call']:f}" == "0.000800000"
    # 200 tokens at 0.1 instead of 0.4, 100 at 0.5 instead of 0.4, three times.
    [cache] = records(results[16])
    assert (cache["saved"], cache["paid_more_to_write"]) == (Decimal("0.00018"), Decimal("0.00003"))
    [price] = records(results[22])
    assert price["model_code"] == "qwen3.5-flash"


async def test_an_empty_database_is_sound(database: Database) -> None:
    assert all(not result.rows for result in await run_audit(database))


async def test_an_open_call_is_uncertain_and_no_difference(database: Database) -> None:
    booked = await book_turns(database)
    opened = COPY.format(columns="reserved_cost", values="0.5")
    await change(database, opened, {"call_id": booked.call_id})
    results = await audited(database)
    assert differences(results) == set()
    [uncertain] = records(results[5])
    assert (uncertain["status"], uncertain["calls"], uncertain["reserved"]) == ("open", 1, 0.5)
    assert uncertain["cost"] is None


async def test_a_call_without_a_price_is_reported_and_no_difference(database: Database) -> None:
    booked = await book_turns(database, turns=1)
    await change(
        database,
        "UPDATE llm_calls SET price_id = NULL, unpriced = true, cost_native = 0, cost_exact = 0",
        {},
    )
    await change(database, "UPDATE messages SET cost = 0", {})
    await change(
        database,
        "UPDATE sessions SET total_cost = 0 WHERE id = :session_id",
        {"session_id": booked.session_id},
    )
    results = await audited(database)
    assert differences(results) == set()
    [unpriced] = records(results[21])
    assert (unpriced["calls"], unpriced["tokens"]) == (1, 1300)
    [month] = records(results[15])
    assert (month["calls"], month["unpriced"], month["cost"]) == (1, 1, None)


async def test_what_a_tool_asked_is_a_cost_of_the_tool(database: Database) -> None:
    booked = await book_turns(database)
    await change(
        database, "UPDATE llm_calls SET tool = 'ask' WHERE id = :id", {"id": booked.call_id}
    )
    [tool] = records((await audited(database))[14])
    assert (tool["tool"], tool["calls"], tool["tokens"]) == ("ask", 1, 1300)
    assert tool["cost_per_call"] == tool["cost"] == Decimal("0.0008")


async def test_corrections_stand_beside_the_day_that_they_correct(database: Database) -> None:
    await book_turns(database)
    await change(
        database,
        "INSERT INTO cost_adjustments (call_id, factory, amount, currency, reason, reference, "
        "created_by) SELECT id, 'qwen', -0.0001, 'USD', 'bill', id::text, 'me' FROM llm_calls",
        {},
    )
    [day] = records((await audited(database))[19])
    assert (day["ledger_cost"], day["adjustment"]) == (Decimal("0.0016"), Decimal("-0.0002"))
    assert day["adjusted_cost"] == Decimal("0.0014")


async def test_budgets_are_those_of_the_period_of_the_last_call(database: Database) -> None:
    await book_turns(database)
    await change(
        database,
        "INSERT INTO budget_counters (scope, scope_id, period, period_start, calls) "
        "SELECT scope, CASE scope WHEN 'user' THEN u.id::text ELSE '' END, 'day', at, calls "
        "FROM users u, (VALUES ('user', timestamptz '2026-05-01', 5), "
        "('deployment', '2026-05-01', 7), ('deployment', '2026-05-02', 1)) "
        "AS v(scope, at, calls)",
        {},
    )
    result = next(q for q in QUERIES if q.number == 20)
    [audited_] = await run_audit(database, [result])
    assert [(row["scope"], row["calls"]) for row in records(audited_)] == [("deployment", 1)]


async def test_refusals_are_counted(database: Database) -> None:
    await book_turns(database)
    await change(
        database,
        "INSERT INTO usage_refusals (user_id, code, scope, detail) "
        "SELECT id, 'budget_spent', 'user', '{}' FROM users, generate_series(1, 3)",
        {},
    )
    [refusal] = records((await audited(database))[18])
    assert (refusal["code"], refusal["scope"], refusal["refused"]) == ("budget_spent", "user", 3)
