"""What is spent, held and asked must fit under every limit together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.ledger.budget.judge import judge, judge_all, spent_scope
from callsheet.ledger.budget.limits import MEASURES, SCOPES, Limits, Measure, Scope
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.budget.standing import NOTHING, Claim, Place, Spent

DAY = datetime(2026, 3, 4, tzinfo=UTC)
END = datetime(2026, 3, 5, tzinfo=UTC)

amounts = st.decimals(min_value=0, max_value=20, places=3)
numbers = st.integers(min_value=0, max_value=20)
limits = st.dictionaries(
    st.sampled_from(SCOPES),
    st.dictionaries(st.sampled_from(MEASURES), numbers.map(Decimal)),
).map(Limits)
spents = st.builds(Spent, numbers, numbers, amounts, numbers, amounts)


def places(user: str = "ada", run: str = "r", session: str = "s") -> Mapping[Scope, Place]:
    return {
        "run": Place("run", run),
        "session": Place("session", session),
        "user_day": Place("user_day", user, DAY),
        "user_month": Place("user_month", user, DAY),
        "deployment_day": Place("deployment_day", "", DAY),
    }


def claim(number: int, cost: Decimal = Decimal(0), tokens: int = 0, **where: str) -> Claim:
    return Claim(str(number), tokens, cost, "USD", places(**where))


def ends(place: Place) -> datetime | None:
    return END if place.start else None


def limited(scope: Scope, **most: str) -> Limits:
    return Limits().but({scope: {name: Decimal(most[name]) for name in MEASURES if name in most}})


claims = st.lists(
    st.tuples(amounts, numbers, st.sampled_from("ab"), st.sampled_from("rst")), max_size=8
).map(
    lambda rows: [
        claim(number, cost, tokens, user=user, run=run, session=user + run)
        for number, (cost, tokens, user, run) in enumerate(rows)
    ]
)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    ("measure", "spent"),
    [
        ("cost", Spent(cost=Decimal("0.3"), held_cost=Decimal("0.2"))),
        ("tokens", Spent(tokens=300, held_tokens=200)),
        ("calls", Spent(calls=4)),
    ],
)
def test_a_call_may_use_a_limit_up_and_not_pass_it(
    scope: Scope, measure: Measure, spent: Spent
) -> None:
    asked = claim(1, Decimal("0.5"), 500)
    exactly = {"cost": "1", "tokens": "1000", "calls": "5"}[measure]
    less = {"cost": "0.999999999999", "tokens": "999", "calls": "4"}[measure]
    standing = {asked.places[scope]: spent}

    assert judge(asked, limited(scope, **{measure: exactly}), standing, ends) is None
    refusal = judge(asked, limited(scope, **{measure: less}), standing, ends)

    assert refusal is not None
    assert (refusal.scope, refusal.measure, refusal.limit) == (scope, measure, Decimal(less))
    assert refusal.spent + refusal.held + refusal.asked > refusal.limit
    assert refusal.resets_at == (None if scope in ("run", "session") else END)


def test_without_limits_everything_may_be_made() -> None:
    asked = claim(1, Decimal(10**9), 10**9)
    assert judge(asked, Limits(), {asked.places["run"]: Spent(10**9)}, ends) is None


def test_a_limit_of_nothing_lets_no_call_through_not_even_a_free_one() -> None:
    assert judge(claim(1), limited("user_day", calls="0"), {}, ends) is not None


def test_what_one_call_of_a_batch_holds_counts_for_the_next_and_a_refused_one_holds_nothing() -> (
    None
):
    most = limited("run", cost="1")
    asked = [claim(number, Decimal(cost)) for number, cost in enumerate(("0.6", "0.5", "0.4"))]
    assert list(judge_all([(each, most) for each in asked], {}, ends)) == ["1"]


def test_calls_of_other_users_do_not_count_for_a_user_and_count_for_the_deployment() -> None:
    asked = [claim(1, Decimal(1), user="ada", run="a"), claim(2, Decimal(1), user="eve", run="e")]
    own = limited("user_day", cost="1")
    assert judge_all([(each, own) for each in asked], {}, ends) == {}
    everybody = limited("deployment_day", cost="1")
    assert list(judge_all([(each, everybody) for each in asked], {}, ends)) == ["2"]


@given(claims, limits, spents)
def test_what_is_let_through_never_passes_a_limit(
    asked: list[Claim], most: Limits, before: Spent
) -> None:
    start = {place: before for each in asked for place in each.places.values()}
    refusals = judge_all([(each, most) for each in asked], start, ends)

    after = dict(start)
    for each in asked:
        if each.call_id not in refusals:
            for place in each.places.values():
                after[place] = after[place].holding(each)
    for place, spent in after.items():
        if spent == start[place]:
            continue  # it may have stood above the limit before
        for measure, limit in most.of(place.scope).items():
            assert spent.of(measure) + spent.held(measure) <= limit


@given(claims, limits, spents)
def test_each_refused_call_would_have_passed_the_limit_that_it_names(
    asked: list[Claim], most: Limits, before: Spent
) -> None:
    now = {place: before for each in asked for place in each.places.values()}
    refusals = judge_all([(each, most) for each in asked], now, ends)
    for each in asked:
        refusal = refusals.get(each.call_id)
        if refusal is None:
            for place in each.places.values():
                now[place] = now[place].holding(each)
            continue
        spent = now[each.places[refusal.scope]]
        assert refusal.limit == most.of(refusal.scope)[refusal.measure]
        assert (
            spent.of(refusal.measure) + spent.held(refusal.measure) + each.of(refusal.measure)
            > refusal.limit
        )


@given(claims, limits)
def test_a_batch_is_judged_as_its_calls_one_after_the_other(
    asked: list[Claim], most: Limits
) -> None:
    standing: dict[Place, Spent] = {}
    one_by_one: dict[str, Refusal] = {}
    for each in asked:
        refusal = judge(each, most, standing, ends)
        if refusal is not None:
            one_by_one[each.call_id] = refusal
            continue
        for place in each.places.values():
            standing[place] = standing.get(place, NOTHING).holding(each)
    assert judge_all([(each, most) for each in asked], {}, ends) == one_by_one


@given(limits, spents)
def test_a_scope_of_which_nothing_is_left_is_one_where_no_call_could_be_made(
    most: Limits, before: Spent
) -> None:
    spent: dict[Scope, Spent] = dict.fromkeys(SCOPES, before)
    found = spent_scope(most, spent, "USD", {})
    asked = claim(1)
    free = judge(asked, most, dict.fromkeys(asked.places.values(), before), ends)
    assert found is None or found.spent >= found.limit
    if found is not None and found.measure == "calls":
        assert free is not None


def test_a_refusal_is_kept_to_the_last_digit() -> None:
    refusal = Refusal(
        "user_day", "cost", Decimal("1.000000000001"), Decimal("0.1"), Decimal("0.2"),
        Decimal("0.9"), "USD", END,
    )  # fmt: skip
    assert Refusal.of(refusal.detail()) == refusal


def test_a_refusal_tells_its_user_what_was_spent_and_when_it_is_renewed() -> None:
    asked = claim(1, Decimal("0.3"))
    standing = {asked.places["user_day"]: Spent(cost=Decimal("0.5"), held_cost=Decimal("0.25"))}
    refusal = judge(asked, limited("user_day", cost="1"), standing, ends)
    assert refusal is not None
    error = refusal.error()
    assert error.error_code == "budget_spent"
    assert error.status == 402
    assert str(error) == (
        "The budget of your day is spent (1 USD): 0.5 spent, 0.25 held by calls under way, "
        "0.3 needed at most for the next call. It is renewed at 2026-03-05T00:00:00Z."
    )
    assert error.extra["resetsAt"] == "2026-03-05T00:00:00Z"
    assert error.extra["spent"] == "0.5"


def test_what_all_users_spend_together_is_not_told_to_one() -> None:
    asked = claim(1, Decimal("0.3"))
    standing = {asked.places["deployment_day"]: Spent(cost=Decimal("123.5"))}
    refusal = judge(asked, limited("deployment_day", cost="99"), standing, ends)
    assert refusal is not None
    assert "123" not in str(refusal.error())
    assert "99" not in str(refusal.error())
    assert set(refusal.error().extra) == {"scope", "measure", "resetsAt"}
