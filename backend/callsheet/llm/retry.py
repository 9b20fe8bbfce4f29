"""Whether and when the same request is sent again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from callsheet.kit.deadline import Deadline
from callsheet.llm.errors import ProviderError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`attempts` counts the first one. Waits double from `base_s` up to `most_s`."""

    attempts: int = 3
    base_s: float = 0.5
    most_s: float = 8.0
    retry_after_most_s: float = 30.0


def next_wait(
    error: ProviderError,
    attempt: int,
    deadline: Deadline,
    policy: RetryPolicy = RetryPolicy(),
    jitter: Callable[[], float] = random.random,
) -> float | None:
    """Seconds to wait before the attempt after `attempt` (from 1); None: give up.

    The provider's Retry-After is kept to. Where it or the wait goes past the deadline, or asks
    for more than `retry_after_most_s`, there is no further attempt: it could not succeed.
    `jitter` gives a number in [0, 1).
    """
    if attempt >= policy.attempts or not error.retryable:
        return None
    spread = min(policy.base_s * 2 ** (attempt - 1), policy.most_s)
    wait_s = spread * (0.5 + jitter() / 2)
    if error.retry_after_s is not None:
        if error.retry_after_s > policy.retry_after_most_s:
            return None
        wait_s = max(error.retry_after_s, wait_s)
    return wait_s if wait_s < deadline.left_s() else None
