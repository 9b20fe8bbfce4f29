"""Limits of users from the command line, and counters that are counted anew."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.cli.quota_words import changed
from callsheet.db.engine import plain_url
from callsheet.kit.errors import BadInput
from callsheet.ledger.budget.limits import MEASURES, OF_USER, Measure, Override, Scope
from tests.cli.conftest import Callsheet
from tests.fixtures.database import run_apart


def rows(url: str, sql: str) -> list[dict[str, Any]]:
    async def read() -> list[dict[str, Any]]:
        connection = await asyncpg.connect(plain_url(url))
        try:
            return [dict(row) for row in await connection.fetch(sql)]
        finally:
            await connection.close()

    return run_apart(read())


def table(out: str) -> list[list[str]]:
    return [line.replace("|", " ").split() for line in out.splitlines()]


def test_what_is_set_for_a_user_is_kept_and_shown_with_where_it_comes_from(
    deployed: Callsheet, database_url: str, tmp_path: Path
) -> None:
    deployed("init")
    quotas = tmp_path / "config/quotas.yaml"
    text = quotas.read_text("utf-8").replace("limits: {}", "limits:\n  user_day: {cost: 2}")
    quotas.write_text(text.replace("users: {}", "users:\n  ada: {run: {calls: 9}}"))

    unknown = deployed("quota", "set", "ada", "user_day.cost=5")
    assert unknown.status == 1
    assert "no user 'ada'" in unknown.err
    assert "ada was never here; this is what would hold." in deployed("quota", "show", "ada").err

    ran = deployed("quota", "set", "ada", "user_day.cost=5.5", "user_month.tokens=1000", "--new")
    assert ran.status == 0
    for shown in (
        ["user_day", "cost", "5.5", "USD", "set"],
        ["user_month", "tokens", "1000", "set"],
        ["run", "calls", "9", "quotas.yaml"],
    ):
        assert shown in table(ran.out)
    kept = "SELECT limits::text, updated_by FROM user_quotas"
    assert rows(database_url, kept) == [
        {
            "limits": '{"user_day": {"cost": "5.5"}, "user_month": {"tokens": 1000}}',
            "updated_by": "command line",
        }
    ]

    deployed("quota", "set", "ada", "user_day.cost=default", "user_month.tokens=none")
    shown_lines = table(deployed("quota", "show", "ada").out)
    assert ["user_day", "cost", "2", "USD", "everybody"] in shown_lines
    assert ["user_month", "tokens", "none", "set"] in shown_lines
    deployed("quota", "set", "ada", "user_month.tokens=default")
    assert rows(database_url, kept) == []


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("day.cost=5", "there is no 'day'. There are run, session"),
        ("users_day.cost=5", "there is no 'users_day'. Did you mean user_day"),
        ("deployment_day.cost=5", "there is no 'deployment_day'"),
        ("run.cost", "is not of the form"),
        ("run.cost=much", "'much' is not money"),
        ("run.cost=-1", "'-1' is not money"),
        ("run.cost=NaN", "'NaN' is not money"),
        ("run.cost=0.000000001", "is not money"),
        ("run.cost=10000000000", "is not money with at most 10 digits"),
        ("run.calls=1000000000000001", "is not a whole number up to"),
        ("run.calls=1.5", "'1.5' is not a whole number"),
        ("run.calls=1e99", "'1e99' is not a whole number"),
    ],
)
def test_a_word_that_says_nothing_is_refused(word: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        changed({}, [word])


@given(
    st.dictionaries(
        st.sampled_from(OF_USER),
        st.dictionaries(st.sampled_from(MEASURES), st.none() | st.integers(0, 99).map(Decimal)),
    ),
    st.sampled_from(OF_USER),
    st.sampled_from(MEASURES),
)
def test_a_word_changes_what_it_names_and_nothing_else(
    own: Override, scope: Scope, measure: Measure
) -> None:
    after = changed(own, [f"{scope}.{measure}=7"])
    assert after[scope][measure] == 7
    back = changed(after, [f"{scope}.{measure}=default"])
    assert {
        (place, name): most
        for place, amounts in own.items()
        for name, most in amounts.items()
        if (place, name) != (scope, measure)
    } == {(place, name): most for place, amounts in back.items() for name, most in amounts.items()}


def test_check_tells_what_is_wrong_with_quotas(callsheet: Callsheet, tmp_path: Path) -> None:
    callsheet("init")
    quotas = tmp_path / "config/quotas.yaml"
    quotas.write_text(quotas.read_text("utf-8").replace("UTC\n", "Mars\n"))
    ran = callsheet("check")
    assert ran.status == 1
    assert "quotas.yaml:6:11: 'Mars' is no time zone" in ran.out


def test_counters_are_counted_anew_where_they_are_wrong(
    deployed: Callsheet, database_url: str
) -> None:
    assert "Every counter is" in deployed("quota", "rebuild").out
    rows(
        database_url,
        "INSERT INTO budget_counters (scope, scope_id, period, period_start, calls) "
        "VALUES ('deployment', '', 'day', date_trunc('day', now(), 'UTC'), 4) RETURNING 1",
    )
    ran = deployed("quota", "rebuild")
    assert ran.status == 0
    assert "1 counters were wrong" in ran.err
    assert rows(database_url, "SELECT 1 FROM budget_counters") == []
