"""When the same request is sent again."""

from __future__ import annotations

import pytest

from callsheet.kit.deadline import Deadline
from callsheet.llm.errors import ProviderCode, ProviderError
from callsheet.llm.retry import RetryPolicy, next_wait

POLICY = RetryPolicy(attempts=4, base_s=1.0, most_s=3.0, retry_after_most_s=20.0)
LONG = Deadline.after(3600)


def failed(
    code: ProviderCode = "provider_error", *, answered: bool = False, after: float | None = None
) -> ProviderError:
    return ProviderError("x", code=code, answered=answered, retry_after_s=after)


def wait(
    error: ProviderError, attempt: int = 1, deadline: Deadline = LONG, jitter: float = 0.5
) -> float | None:
    return next_wait(error, attempt, deadline, POLICY, lambda: jitter)


def test_waits_double_up_to_the_most_and_are_spread() -> None:
    assert [wait(failed(), attempt) for attempt in (1, 2, 3, 4)] == [0.75, 1.5, 2.25, None]
    assert (wait(failed(), jitter=0.0), wait(failed(), jitter=1.0)) == (0.5, 1.0)


@pytest.mark.parametrize(
    "code",
    [
        "provider_unreachable",
        "provider_rate_limited",
        "provider_error",
        "provider_timeout",
        "provider_empty",
    ],
)
def test_only_before_the_first_byte(code: ProviderCode) -> None:
    assert wait(failed(code)) is not None
    assert wait(failed(code, answered=True)) is None


@pytest.mark.parametrize(
    "code", ["provider_refused", "provider_cut", "provider_malformed", "content_filter"]
)
def test_what_would_fail_again_is_not_sent_again(code: ProviderCode) -> None:
    assert wait(failed(code)) is None


def test_the_providers_wish_is_kept_to() -> None:
    assert wait(failed(after=5.0)) == 5.0
    assert wait(failed(after=0.0)) == 0.75
    assert wait(failed(after=21.0)) is None


def test_no_wait_goes_past_the_deadline() -> None:
    assert wait(failed(after=5.0), deadline=Deadline.after(4)) is None
    assert wait(failed(), deadline=Deadline.after(0.1)) is None
    assert wait(failed(), deadline=Deadline.after(2)) == 0.75


def test_the_usual_policy_has_three_attempts() -> None:
    assert [next_wait(failed(), n, LONG) is not None for n in (1, 2, 3)] == [True, True, False]
