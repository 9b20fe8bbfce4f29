"""The views that auditors query: what they add up, and what they leave unknown."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from callsheet.db.transaction import Database
from tests.fixtures.booked import Booked, book_turns, change

GROUPED = {
    "v_cost_by_day_model": "factory = 'qwen' AND model_code = 'qwen3.5-flash'",
    "v_cost_by_stage": "stage = 'execution'",
    "v_cost_by_agent": "stage = 'execution' AND agent = 'executor'",
    "v_cost_by_tool": "tool = 'ask'",
    "v_cost_by_user": "user_name LIKE 'u-%'",
    "v_cost_by_session": "session_id IS NOT NULL",
    "v_cost_by_purpose": "purpose = 'answer'",
}
NATIVE = "price_currency = 'USD' AND cost_native = cost"


async def rows(database: Database, query: str) -> list[dict[str, Any]]:
    async with database.read() as tx:
        return [dict(row) for row in (await tx.exec_driver_sql(query)).mappings()]


async def all_kinds(database: Database) -> Booked:
    """On 2026-05-01: two settled calls, one estimated, one open, one without a price."""
    booked = await book_turns(database, turns=5)
    kinds = {
        1: "usage_source = 'estimated', usage_method = 'tokens', raw_usage = NULL",
        2: "price_id = NULL, unpriced = true, cost_native = 0, cost_exact = 0",
        3: "status = 'open', settled_at = NULL, usage_source = NULL, input_tokens = 0, "
        "cached_tokens = 0, cache_write_tokens = 0, output_tokens = 0, reasoning_tokens = 0, "
        "cost_native = 0, cost_exact = 0, reserved_cost = 0.5, reserved_tokens = 4096",
    }
    for number, values in kinds.items():
        await change(
            database,
            f"UPDATE llm_calls SET {values} WHERE id = "
            f"(SELECT id FROM llm_calls ORDER BY id OFFSET {number} LIMIT 1)",
            {},
        )
    await change(database, "UPDATE llm_calls SET started_at = '2026-05-01 23:59:59Z'", {})
    return booked


@pytest.mark.parametrize("view", GROUPED)
async def test_a_group_adds_up_and_counts_what_is_not_known(database: Database, view: str) -> None:
    await all_kinds(database)
    await change(database, "UPDATE llm_calls SET tool = 'ask'", {})
    [row] = await rows(database, f"SELECT * FROM {view} WHERE {GROUPED[view]}")
    assert row["day"] == date(2026, 5, 1)
    counts = ("calls", "open_calls", "estimated_calls", "unpriced_calls")
    assert [row[name] for name in counts] == [5, 1, 1, 1]
    assert (row["input_tokens"], row["cached_tokens"], row["output_tokens"]) == (4000, 800, 1200)
    assert row["cost"] == Decimal("0.0024")
    assert row["currency"] == "USD"


async def test_the_bill_has_native_amounts(database: Database) -> None:
    await all_kinds(database)
    [row] = await rows(database, f"SELECT * FROM v_cost_by_day_model WHERE {NATIVE}")
    assert (row["cache_write_tokens"], row["reasoning_tokens"], row["units"]) == (400, 200, 0)


@pytest.mark.parametrize("view", GROUPED)
async def test_a_group_of_open_calls_alone_costs_what_nobody_knows(
    database: Database, view: str
) -> None:
    await all_kinds(database)
    await change(database, "UPDATE llm_calls SET tool = 'ask'", {})
    await change(
        database,
        "UPDATE llm_calls SET started_at = '2026-05-02 00:00Z' WHERE status = 'open'",
        {},
    )
    [row] = await rows(database, f"SELECT * FROM {view} WHERE day = '2026-05-02'")
    assert (row["calls"], row["input_tokens"], row["cost"]) == (1, None, None)


async def test_a_tool_that_asked_no_model_is_no_row(database: Database) -> None:
    await book_turns(database)
    assert await rows(database, "SELECT * FROM v_cost_by_tool") == []


async def test_uncertain_calls_are_listed_one_by_one(database: Database) -> None:
    await all_kinds(database)
    found = await rows(database, "SELECT * FROM v_uncertain_calls ORDER BY cost, status")
    assert [(r["status"], r["usage_source"], r["unpriced"], r["cost"]) for r in found] == [
        ("settled", "estimated", False, Decimal("0.0008")),
        ("open", None, False, None),
        ("settled", "provider", True, None),
    ]
    assert found[1]["reserved_cost"] == Decimal("0.5")


async def test_open_reservations_say_how_long_they_are_held(database: Database) -> None:
    await all_kinds(database)
    [row] = await rows(
        database, "SELECT *, open_for > interval '1 day' AS old FROM v_open_reservations"
    )
    assert (row["reserved_cost"], row["reserved_tokens"], row["old"]) == (
        Decimal("0.5"),
        4096,
        True,
    )


async def test_waste_is_told_by_its_reason(database: Database) -> None:
    booked = await book_turns(database, turns=3)
    await change(
        database, "UPDATE llm_calls SET attempt = 2 WHERE id = :id", {"id": booked.call_id}
    )
    await change(
        database,
        "UPDATE llm_calls SET status = 'aborted' WHERE id = "
        "(SELECT id FROM llm_calls WHERE attempt = 1 LIMIT 1)",
        {},
    )
    found = await rows(database, "SELECT reason, calls, cost FROM v_wasted_cost ORDER BY reason")
    assert [tuple(row.values()) for row in found] == [
        ("aborted", 1, Decimal("0.0008")),
        ("retry", 1, Decimal("0.0008")),
    ]


async def test_the_price_history_says_what_holds_now(database: Database) -> None:
    booked = await book_turns(database)
    await change(
        database,
        "INSERT INTO llm_prices (factory, model_code, currency, effective, source) VALUES "
        "('qwen', 'qwen3.5-flash', 'USD', tstzrange('2025-01-01', '2026-01-01'), 'old')",
        {},
    )
    found = await rows(database, "SELECT * FROM v_price_history ORDER BY valid_from")
    assert [row["holds_now"] for row in found] == [False, True]
    assert (found[1]["price_id"], found[1]["valid_to"]) == (booked.price_id, None)
    assert found[0]["valid_to"] == found[1]["valid_from"]


async def test_budget_use_has_names_and_own_limits(database: Database) -> None:
    await book_turns(database)
    await change(
        database,
        "INSERT INTO budget_counters (scope, scope_id, period, period_start, cost, reserved_cost) "
        "SELECT 'user', id::text, 'day', timestamptz '2026-05-01', 2, 0.5 FROM users UNION ALL "
        "SELECT 'deployment', '', 'day', timestamptz '2026-05-01', 2, 0",
        {},
    )
    await change(
        database,
        "INSERT INTO user_quotas (user_id, limits, updated_by) "
        "SELECT id, '{\"day\": 1}', 'admin' FROM users",
        {},
    )
    everyone, user = await rows(database, "SELECT * FROM v_budget_use ORDER BY scope")
    assert (everyone["user_name"], everyone["own_limits"]) == (None, None)
    assert user["user_name"].startswith("u-")
    assert (user["committed_cost"], user["own_limits"]) == (Decimal("2.5"), {"day": 1})


async def test_refusals_have_a_day_and_a_name(database: Database) -> None:
    await book_turns(database)
    await change(
        database,
        "INSERT INTO usage_refusals (at, user_id, code, scope, detail) "
        "SELECT '2026-05-01 23:59:59Z', id, 'rate_limited', 'provider', '{\"limit\": 5}' "
        "FROM users",
        {},
    )
    [row] = await rows(database, "SELECT * FROM v_refusals WHERE day = '2026-05-01'")
    assert (row["code"], row["scope"], row["detail"]) == ("rate_limited", "provider", {"limit": 5})
    assert row["user_name"].startswith("u-")


async def test_corrections_of_calls_and_of_days_stand_beside_the_ledger(database: Database) -> None:
    booked = await book_turns(database)
    await change(database, "UPDATE llm_calls SET started_at = '2026-05-01 12:00Z'", {})
    await change(
        database,
        "INSERT INTO cost_adjustments (call_id, day, factory, amount, currency, reason, "
        "reference, created_by) VALUES (:call, NULL, 'qwen', 0.0004, 'USD', 'b', '1', 'me'), "
        "(NULL, '2026-05-01', 'qwen', -0.0001, 'USD', 'b', '2', 'me'), "
        "(NULL, '2026-05-02', 'qwen', -1, 'USD', 'b', '3', 'me')",
        {"call": booked.call_id},
    )
    found = await rows(
        database,
        "SELECT day::text, model_code, ledger_cost, adjustment, adjusted_cost "
        "FROM v_adjusted_cost_by_day ORDER BY day, model_code",
    )
    assert [tuple(row.values()) for row in found] == [
        ("2026-05-01", "qwen3.5-flash", Decimal("0.0016"), Decimal("0.0004"), Decimal("0.002")),
        ("2026-05-01", None, None, Decimal("-0.0001"), Decimal("-0.0001")),
        ("2026-05-02", None, None, Decimal(-1), Decimal(-1)),
    ]


@pytest.mark.parametrize("view", [*GROUPED, "v_wasted_cost", "v_uncertain_calls"])
async def test_a_filter_by_day_reaches_the_index(database: Database, view: str) -> None:
    async with database.read() as tx:
        for other in ("enable_seqscan", "enable_nestloop", "enable_mergejoin"):
            await tx.exec_driver_sql(f"SET LOCAL {other} = off")
        plan = await tx.exec_driver_sql(
            f"EXPLAIN SELECT * FROM {view} WHERE day >= '2026-05-01' AND day < '2026-06-01'"
        )
        assert "idx_llm_calls_day" in "\n".join(row[0] for row in plan)
