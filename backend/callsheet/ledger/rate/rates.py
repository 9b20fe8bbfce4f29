"""How fast things may go; None: as fast as they can."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UserRate:
    """Of one user: turns begun and tokens used in a minute, turns under way at the same time."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrent_runs: int | None = None

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to check."""
        return self != UserRate()


@dataclass(frozen=True, slots=True)
class ProviderRate:
    """Of one factory: requests and tokens begun in a minute, calls under way at the same time."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrent_calls: int | None = None

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to check."""
        return self != ProviderRate()
