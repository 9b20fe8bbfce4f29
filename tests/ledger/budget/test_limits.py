"""Limits of everybody, what differs for a user, and what the database says on top."""

from __future__ import annotations

from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from callsheet.ledger.budget.limits import MEASURES, SCOPES, Limits, Override
from callsheet.ledger.budget.quota_store import from_json, to_json
from callsheet.ledger.budget.quotas import QuotaRules, Quotas

ADA, EVE = UUID(int=1), UUID(int=2)
overrides = st.dictionaries(
    st.sampled_from(SCOPES),
    st.dictionaries(st.sampled_from(MEASURES), st.none() | st.integers(0, 99).map(Decimal)),
)


def rules(limits: Override, **users: Override) -> QuotaRules:
    ids = {"ada": ADA, "eve": EVE}
    return QuotaRules(
        ZoneInfo("UTC"),
        Limits().but(limits),
        {ids[name]: override for name, override in users.items()},
    )


def test_a_users_difference_replaces_what_it_names_and_nothing_else() -> None:
    quotas = Quotas(
        rules(
            {"user_day": {"cost": Decimal(1), "tokens": Decimal(5)}, "run": {"calls": Decimal(3)}},
            ada={"user_day": {"cost": Decimal(9)}},
        )
    )
    assert quotas.limits_of(EVE).of("user_day") == {"cost": 1, "tokens": 5}
    assert quotas.limits_of(ADA).of("user_day") == {"cost": 9, "tokens": 5}
    assert quotas.limits_of(ADA).of("run") == {"calls": 3}


def test_none_lifts_a_limit() -> None:
    quotas = Quotas(rules({"run": {"cost": Decimal(1)}}, ada={"run": {"cost": None}}))
    assert quotas.limits_of(ADA).scopes == ()
    assert quotas.limits_of(EVE).scopes == ("run",)


def test_the_database_counts_more_than_the_file() -> None:
    quotas = Quotas(
        rules({"run": {"cost": Decimal(1)}}, ada={"run": {"cost": Decimal(2)}}),
    )
    quotas.replace({ADA: {"run": {"cost": Decimal(3)}}})
    assert quotas.limits_of(ADA).of("run") == {"cost": 3}
    quotas.replace({})
    assert quotas.limits_of(ADA).of("run") == {"cost": 2}


def test_nothing_applies_until_there_is_a_limit_for_somebody() -> None:
    quotas = Quotas(rules({}))
    assert not quotas.applies()
    quotas.replace({ADA: {"run": {"cost": None}}})
    assert not quotas.applies()
    quotas.replace({ADA: {"run": {"cost": Decimal(0)}}})
    assert quotas.applies()
    assert Quotas(rules({}, eve={"session": {"calls": Decimal(1)}})).applies()


@given(overrides)
def test_what_the_table_holds_is_what_was_set(override: Override) -> None:
    assert from_json(to_json(override)) == override


@given(overrides, overrides)
def test_a_limit_that_an_override_does_not_name_holds_as_before(
    first: Override, second: Override
) -> None:
    before = Limits().but(first)
    after = before.but(second)
    for scope in SCOPES:
        for measure in MEASURES:
            named = measure in second.get(scope, {})
            expected = second[scope][measure] if named else before.of(scope).get(measure)
            assert after.of(scope).get(measure) == expected
