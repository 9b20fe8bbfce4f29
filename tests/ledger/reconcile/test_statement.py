"""A bill against a real ledger: what differs, what is stored, and that calls stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.errors import BadInput, SetupError
from callsheet.ledger.reconcile.bill import Bill
from callsheet.ledger.reconcile.layout import BillLayout
from callsheet.ledger.reconcile.statement import (
    Statement,
    adjustments_of,
    hold_against,
    is_over,
)
from callsheet.ledger.reconcile.store import add_adjustments
from tests.ledger.reconcile.bills import bill, layout
from tests.ledger.report.calls import NOON, add_call, add_estimated, add_open, run
from tests.sessions.rows import rows

HEAD = "day,model,amount,currency\n"
BY_CALL = layout({"request_id": ["id"]})


async def held(
    database: Database, read: Bill, form: BillLayout | None = None, currency: str = "USD"
) -> Statement:
    async with database.read() as tx:
        return await hold_against(tx, read, form or layout(), "f", currency)


async def stored(database: Database, statement: Statement, read: Bill) -> int:
    wanted = adjustments_of(statement, read, statement.over(Decimal(0)), by="t")
    async with database.transaction() as tx:
        return await add_adjustments(tx, wanted)


def shown(differences: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [
        (each.day.day, each.model, each.billed, each.booked.cost, each.percent)
        for each in differences
    ]


async def test_days_and_models_of_both_sides_are_compared(
    database: Database, tmp_path: Path
) -> None:
    for day in (1, 2):
        await add_call(database, started_at=datetime(2026, 11, day, 5, tzinfo=UTC))
    await add_estimated(database, started_at=datetime(2026, 11, 2, 6, tzinfo=UTC))
    await add_call(database, model_code="n", started_at=datetime(2026, 11, 2, tzinfo=UTC))
    await add_call(database, factory="g", started_at=datetime(2026, 11, 2, tzinfo=UTC))
    await add_call(database, started_at=datetime(2026, 11, 4, tzinfo=UTC))
    read = bill(
        tmp_path,
        HEAD + "2026-11-01,m,0.001,USD\n2026-11-01,m,0.001,USD\n2026-11-02,m,0.005,USD\n"
        "2026-11-03,o,0.1,USD\n",
    )
    statement = await held(database, read)
    assert shown(statement.days) == [
        (1, "m", Decimal("0.002"), Decimal("0.002"), 0),
        (2, "m", Decimal("0.005"), Decimal("0.004"), 25),
        (2, "n", None, Decimal("0.002"), -100),
        (3, "o", Decimal("0.1"), 0, None),
    ]
    assert [each.amount for each in statement.over(Decimal("0.002"))] == [
        Decimal("-0.002"),
        Decimal("0.1"),
    ]
    assert (statement.days[1].booked.calls, statement.days[1].booked.uncertain) == (2, 1)


async def test_a_day_is_one_of_the_bills_zone(database: Database, tmp_path: Path) -> None:
    await add_call(database, started_at=datetime(2026, 11, 1, 16, tzinfo=UTC))
    read = bill(tmp_path, HEAD + "2026-11-02,m,0.002,USD\n")
    there = await held(database, read, layout(zone="Asia/Shanghai"))
    assert there.over(Decimal(0)) == ()
    here = await held(database, read)
    assert shown(here.over(Decimal(0))) == [(2, "m", Decimal("0.002"), 0, None)]


async def test_what_is_stored_changes_no_call_and_the_same_bill_changes_nothing_more(
    database: Database, tmp_path: Path
) -> None:
    await add_call(database, started_at=datetime(2026, 11, 2, tzinfo=UTC))
    before = await rows(database, "SELECT * FROM llm_calls")
    read = bill(tmp_path, HEAD + "2026-11-02,m,0.005,USD\n2026-11-03,o,0.1,USD\n")
    first = await held(database, read)
    assert await stored(database, first, read) == 2
    assert await stored(database, first, read) == 0
    assert (await held(database, read)).over(Decimal(0)) == ()
    assert await rows(database, "SELECT * FROM llm_calls") == before
    found = await rows(
        database,
        "SELECT day, factory, model_code, amount, currency, reason, created_by "
        "FROM cost_adjustments ORDER BY day",
    )
    assert found[0] == (
        date(2026, 11, 2), "f", "m", Decimal("0.003"), "USD",
        "0.005 USD on the bill bill.csv, 0.002 USD booked", "t",
    )  # fmt: skip


async def test_a_corrected_bill_corrects_the_correction(database: Database, tmp_path: Path) -> None:
    await add_call(database, started_at=datetime(2026, 11, 2, tzinfo=UTC))
    for amount in ("0.005", "0.001"):
        read = bill(tmp_path, f"{HEAD}2026-11-02,m,{amount},USD\n")
        assert await stored(database, await held(database, read), read) == 1
    found = await rows(database, "SELECT amount FROM cost_adjustments ORDER BY amount")
    assert found == [(Decimal("-0.004"),), (Decimal("0.003"),)]


async def test_calls_are_compared_one_by_one_where_the_bill_has_their_ids(
    database: Database, tmp_path: Path
) -> None:
    late = datetime(2026, 11, 1, 23, 59, tzinfo=UTC)
    near = await add_call(database, upstream_id="near", started_at=late)
    await add_call(database, upstream_id="equal", started_at=datetime(2026, 11, 2, tzinfo=UTC))
    await add_call(database, upstream_id="away", started_at=datetime(2026, 11, 2, tzinfo=UTC))
    await add_open(database, started_at=datetime(2026, 11, 2, tzinfo=UTC))
    read = bill(
        tmp_path,
        "day,model,amount,currency,id\n2026-11-02,m,0.001,USD,near\n2026-11-02,m,0.002,USD,near\n"
        "2026-11-02,m,0.002,USD,equal\n2026-11-02,m,0.007,USD,strange\n2026-11-02,m,0.001,USD,\n",
        BY_CALL,
    )
    statement = await held(database, read, BY_CALL)
    assert [(each.booked.request_id, each.amount) for each in statement.calls] == [
        ("near", Decimal("0.001")),
        ("equal", Decimal(0)),
    ]
    assert shown(statement.days) == [(2, "m", Decimal("0.008"), Decimal("0.002"), 300)]

    assert await stored(database, statement, read) == 2
    assert await rows(database, "SELECT call_id, amount FROM cost_adjustments ORDER BY amount") == [
        (near, Decimal("0.001")),
        (None, Decimal("0.006")),
    ]
    assert (await held(database, read, BY_CALL)).over(Decimal(0)) == ()


async def test_two_calls_of_one_request_id_are_both_counted(
    database: Database, tmp_path: Path
) -> None:
    await add_call(database, upstream_id="twin", started_at=datetime(2026, 11, 2, tzinfo=UTC))
    await add_call(database, upstream_id="twin", started_at=datetime(2026, 11, 2, tzinfo=UTC))
    text = "day,model,amount,currency,id\n2026-11-02,m,0.002,USD,twin\n"
    statement = await held(database, bill(tmp_path, text, BY_CALL), BY_CALL)
    assert [each.amount for each in statement.over(Decimal(0))] == [Decimal("-0.002")]


async def test_a_bill_in_another_currency_is_worth_what_the_rate_of_its_day_says(
    database: Database, tmp_path: Path
) -> None:
    await add_call(
        database, started_at=datetime(2026, 11, 2, 5, tzinfo=UTC), cost_exact=Decimal("1.4")
    )
    read = bill(tmp_path, HEAD + "2026-11-02,m,10,CNY\n2026-11-03,m,10,CNY\n")
    with pytest.raises(SetupError, match="no rate to USD for 2026-11-02"):
        await held(database, read)
    for since, rate in (("2026-01-01", "0.14"), ("2026-11-03", "0.15"), ("2026-11-09", "9")):
        await run(
            database,
            "INSERT INTO fx_rates (base, quote, rate, valid_from, source) "
            "VALUES ('CNY', 'USD', :rate, :since, 't')",
            rate=Decimal(rate),
            since=datetime.fromisoformat(f"{since}T12:00:00+00:00"),
        )
    first, second = (await held(database, read)).days
    assert (first.billed, first.billed_native, first.native_currency) == (
        Decimal("1.4"), Decimal(10), "CNY",
    )  # fmt: skip
    assert first.amount == 0
    assert second.billed == Decimal("1.5")


async def test_a_bill_without_models_is_compared_by_day(database: Database, tmp_path: Path) -> None:
    await add_call(database, started_at=NOON)
    await add_call(database, started_at=NOON, model_code="n")
    form = layout({"model": None})
    read = bill(tmp_path, HEAD + "2026-11-30,whatever,0.004,USD\n", form)
    assert shown((await held(database, read, form)).days) == [
        (30, None, Decimal("0.004"), Decimal("0.004"), 0)
    ]


async def test_a_factory_that_nobody_knows_is_refused(database: Database, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no factory 'f'") as caught:
        await held(database, bill(tmp_path, HEAD + "2026-11-02,m,1,USD\n"))
    assert caught.value.extra["field"] == "factory"


async def test_tokens_stand_beside_each_other(database: Database, tmp_path: Path) -> None:
    await add_call(database, cached_tokens=300)
    form = layout({"input_tokens": ["in"], "output_tokens": ["out"]})
    text = "day,model,amount,currency,in,out\n2026-11-30,m,0.002,USD,900,500\n"
    (day,) = (await held(database, bill(tmp_path, text, form), form)).days
    assert (day.billed_tokens.input, day.billed_tokens.cached) == (900, None)
    assert (day.booked.tokens.input, day.booked.tokens.cached, day.booked.tokens.output) == (
        1000, 300, 500,
    )  # fmt: skip


def test_a_day_is_over_when_its_zone_says_so() -> None:
    now = datetime(2026, 11, 30, 20, tzinfo=UTC)
    assert is_over(date(2026, 11, 30), ZoneInfo("Asia/Shanghai"), now)
    assert not is_over(date(2026, 11, 30), ZoneInfo("UTC"), now)
