"""Is there room for one more? Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from callsheet.ledger.rate.rates import ProviderRate, UserRate

Reason: TypeAlias = Literal["requests", "tokens", "concurrency"]

MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What is going on: begun in the running minute, and under way."""

    requests: int = 0
    tokens: int = 0
    under_way: int = 0


def minute_of(moment: datetime) -> datetime:
    """The beginning of its minute."""
    return moment.replace(second=0, microsecond=0)


def minute_left_s(moment: datetime) -> float:
    """Seconds until the next minute begins."""
    return (minute_of(moment) + MINUTE - moment).total_seconds()


def provider_is_full(rate: ProviderRate, traffic: Traffic, tokens: int) -> Reason | None:
    """What stands in the way of a call of that many tokens.

    A call that is larger than a whole minute's tokens may go alone: it would wait for ever.
    """
    if _reached(traffic.under_way, rate.concurrent_calls):
        return "concurrency"
    if _reached(traffic.requests, rate.requests_per_minute):
        return "requests"
    most = rate.tokens_per_minute
    if most is not None and traffic.tokens and traffic.tokens + tokens > most:
        return "tokens"
    return None


def user_is_full(rate: UserRate, traffic: Traffic) -> Reason | None:
    """What stands in the way of a turn."""
    if _reached(traffic.under_way, rate.concurrent_runs):
        return "concurrency"
    if _reached(traffic.requests, rate.requests_per_minute):
        return "requests"
    if _reached(traffic.tokens, rate.tokens_per_minute):
        return "tokens"
    return None


def _reached(now: int, most: int | None) -> bool:
    return most is not None and now >= most
