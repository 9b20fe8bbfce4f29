"""How fast is fast enough, decided from figures alone."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from callsheet.ledger.rate.rates import ProviderRate, UserRate
from callsheet.ledger.rate.room import (
    Traffic,
    minute_left_s,
    minute_of,
    provider_is_full,
    user_is_full,
)

numbers = st.integers(0, 20)
traffics = st.builds(Traffic, numbers, numbers, numbers)


def test_a_minute_ends_with_its_sixtieth_second() -> None:
    moment = datetime(2026, 1, 1, 12, 0, 59, 500_000, tzinfo=UTC)
    assert minute_of(moment) == datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
    assert minute_left_s(moment) == 0.5
    assert minute_left_s(minute_of(moment)) == 60


@given(traffics, numbers)
def test_without_limits_there_is_always_room(traffic: Traffic, tokens: int) -> None:
    assert provider_is_full(ProviderRate(), traffic, tokens) is None
    assert user_is_full(UserRate(), traffic) is None


def test_each_limit_can_be_reached_and_not_passed() -> None:
    rate = ProviderRate(requests_per_minute=2, tokens_per_minute=100, concurrent_calls=3)
    assert provider_is_full(rate, Traffic(1, 60, 2), 40) is None
    assert provider_is_full(rate, Traffic(2, 60, 2), 40) == "requests"
    assert provider_is_full(rate, Traffic(1, 61, 2), 40) == "tokens"
    assert provider_is_full(rate, Traffic(1, 60, 3), 40) == "concurrency"
    of_user = UserRate(requests_per_minute=2, tokens_per_minute=100, concurrent_runs=3)
    assert user_is_full(of_user, Traffic(1, 99, 2)) is None
    assert user_is_full(of_user, Traffic(2, 99, 2)) == "requests"
    assert user_is_full(of_user, Traffic(1, 100, 2)) == "tokens"
    assert user_is_full(of_user, Traffic(1, 99, 3)) == "concurrency"


def test_a_call_of_more_than_a_minutes_tokens_goes_alone() -> None:
    rate = ProviderRate(tokens_per_minute=100)
    assert provider_is_full(rate, Traffic(0, 0, 0), 1000) is None
    assert provider_is_full(rate, Traffic(1, 1, 0), 1000) == "tokens"
