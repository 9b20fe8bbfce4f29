"""How the journal writes, and how it behaves when the database is away."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JournalOptions:
    """`linger_s`: how long an event that nobody waits for may wait for the next one.

    `beside_after_s`: how long a commit has to be under way before another is begun beside it.

    A write that fails is repeated for `retry_for_s`, at first after `retry_first_s`, then ever
    later.
    """

    linger_s: float = 0.005
    beside_after_s: float = 0.004
    retry_for_s: float = 30.0
    retry_first_s: float = 0.05
    retry_most_s: float = 2.0
