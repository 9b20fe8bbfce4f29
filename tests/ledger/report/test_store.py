"""Sums over the ledger: each call once, an unknown cost never as zero."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from callsheet.auth.principal import user_id_of
from callsheet.db.transaction import Database
from callsheet.kit.errors import BadInput
from callsheet.ledger.report.ask import DIMENSIONS, Ask, Dimension, Filters, read_dimensions
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.store import read_report
from callsheet.ledger.report.sums import Group, Report, Sums
from tests.ledger.report.calls import (
    add_call,
    add_estimated,
    add_open,
    add_run,
    add_unpriced,
    run,
)

NOVEMBER = Period(date(2026, 11, 1), date(2026, 11, 30), ZoneInfo("UTC"))


async def report(
    database: Database,
    *by: Dimension,
    period: Period = NOVEMBER,
    filters: Filters | None = None,
    **limits: Any,
) -> Report:
    async with database.read() as tx:
        return await read_report(tx, Ask(period, by, filters or Filters()), **limits)


async def costs(database: Database, *by: Dimension, **options: Any) -> dict[Any, str]:
    """The cost of each group by its keys."""
    found = await report(database, *by, **options)
    return {
        each.keys[0] if len(each.keys) == 1 else each.keys: f"{each.sums.cost.normalize():f}"
        for each in found.groups
    }


async def test_what_is_unknown_has_columns_of_its_own(database: Database) -> None:
    await add_call(database, cached_tokens=200, cache_write_tokens=100, reasoning_tokens=50)
    await add_estimated(database, cost_exact=Decimal("0.0005"))
    await add_unpriced(database)
    await add_open(database)
    (only,) = (await report(database)).groups
    assert only == Group(
        (),
        "USD",
        Sums(
            calls=4,
            input_tokens=3000,
            cached_tokens=200,
            cache_write_tokens=100,
            output_tokens=1500,
            reasoning_tokens=50,
            cost=Decimal("0.0025"),
            estimated_calls=1,
            estimated_cost=Decimal("0.0005"),
            unpriced_calls=1,
            unpriced_tokens=1500,
            open_calls=1,
            reserved_cost=Decimal("0.5"),
        ),
    )


async def test_each_dimension_splits_and_the_parts_are_the_whole(database: Database) -> None:
    chat, other = await add_run(database, "ada"), await add_run(database, "bob", "research")
    await add_call(database, of=chat, stage="intent", agent="router", cost_exact=Decimal("0.1"))
    await add_call(
        database, "bob", of=other, tool="search", purpose="tool", cost_exact=Decimal("0.02")
    )
    await add_call(
        database, factory="g", started_at=datetime(2026, 11, 1, tzinfo=UTC),
        cost_exact=Decimal("0.003"),
    )  # fmt: skip
    expected: dict[Dimension, dict[Any, str]] = {
        "day": {date(2026, 11, 1): "0.003", date(2026, 11, 30): "0.12"},
        "model": {("f", "m"): "0.12", ("g", "m"): "0.003"},
        "user": {"ada": "0.103", "bob": "0.02"},
        "stage": {"intent": "0.1", None: "0.023"},
        "agent": {"router": "0.1", None: "0.023"},
        "tool": {"search": "0.02", None: "0.103"},
        "purpose": {"answer": "0.1", "tool": "0.02", "embedding": "0.003"},
        "session": {str(chat[0]): "0.1", str(other[0]): "0.02", None: "0.003"},
        "workflow": {"chat": "0.1", "research": "0.02", None: "0.003"},
    }
    assert set(expected) == set(DIMENSIONS)
    for dimension, parts in expected.items():
        assert await costs(database, dimension) == parts, dimension
    found = await report(database, *DIMENSIONS)
    assert len(found.groups) == 3
    (whole,) = found.totals
    assert (whole.sums.calls, whole.sums.cost) == (3, Decimal("0.123"))


async def test_a_day_is_one_of_the_stated_zone(database: Database) -> None:
    await add_call(database, started_at=datetime(2026, 10, 31, 15, 59, 59, tzinfo=UTC))
    await add_call(database, started_at=datetime(2026, 10, 31, 16, tzinfo=UTC))
    await add_call(database, started_at=datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC))
    await add_call(database, started_at=datetime(2026, 11, 30, 16, tzinfo=UTC))
    there = Period(NOVEMBER.first, NOVEMBER.last, ZoneInfo("Asia/Shanghai"))
    assert set(await costs(database, "day", period=there)) == {
        date(2026, 11, 1),
        date(2026, 11, 30),
    }
    assert set(await costs(database, "day")) == {date(2026, 11, 30)}


async def test_filters_leave_out_what_does_not_fit(database: Database) -> None:
    chat = await add_run(database, "ada")
    await add_call(database, of=chat)
    await add_call(database, "bob", factory="g", cost_exact=Decimal("0.5"))
    await add_call(database, "bob", model_code="n", cost_exact=Decimal("0.25"))
    filters = {
        Filters(user_id=user_id_of("bob")): {(): "0.75"},
        Filters(model="m"): {(): "0.502"},
        Filters(factory="f"): {(): "0.252"},
        Filters(session_id=chat[0]): {(): "0.002"},
        Filters(user_id=user_id_of("bob"), factory="f", model="n"): {(): "0.25"},
        Filters(session_id=chat[1]): {},
    }
    for each, expected in filters.items():
        assert await costs(database, filters=each) == expected, each


async def test_two_currencies_are_never_one_sum(database: Database) -> None:
    await add_call(database)
    await add_call(database, currency="CNY", cost_exact=Decimal(3))
    found = await report(database)
    assert [(each.currency, f"{each.sums.cost:f}") for each in found.totals] == [
        ("CNY", "3.000000000000"),
        ("USD", "0.002000000000"),
    ]


async def test_more_groups_than_the_limit_are_refused(database: Database) -> None:
    await add_call(database)
    await add_call(database, model_code="n")
    assert len((await report(database, "model", most_groups=2)).groups) == 2
    with pytest.raises(BadInput, match="more than 1 rows"):
        await report(database, "model", most_groups=1)


async def test_corrections_stand_beside_the_sums(database: Database) -> None:
    call = await add_call(database)
    await run(
        database,
        "INSERT INTO cost_adjustments (call_id, day, factory, model_code, amount, currency, "
        "reason, reference, created_by) VALUES (:call, NULL, 'f', NULL, 0.25, 'USD', 'bill', 'a', "
        "'t'), (NULL, '2026-11-02', 'f', 'm', -0.05, 'USD', 'bill', 'b', 't'), "
        "(NULL, '2026-10-31', 'f', 'm', 9, 'USD', 'bill', 'c', 't'), "
        "(NULL, '2026-11-02', 'g', 'm', 1, 'USD', 'bill', 'd', 't')",
        call=call,
    )
    (group,) = (await report(database)).groups
    assert group.sums.cost == Decimal("0.002")
    assert (await report(database)).corrections == (("USD", Decimal("1.2")),)
    of_model = await report(database, filters=Filters(factory="f", model="m"))
    assert of_model.corrections == (("USD", Decimal("0.2")),)
    assert (await report(database, filters=Filters(user_id=user_id_of("ada")))).corrections is None


async def test_an_empty_period_has_no_group_and_no_total(database: Database) -> None:
    found = await report(database, "model")
    assert (found.groups, found.totals, found.corrections) == ((), (), ())


def test_groups_are_read_from_several_lists_each_once() -> None:
    assert read_dimensions(["day, model", "user", "day"]) == ("day", "model", "user")
    with pytest.raises(BadInput, match="Did you mean 'model'") as caught:
        read_dimensions(["modle"])
    assert caught.value.extra["field"] == "by"
