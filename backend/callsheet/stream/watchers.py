"""Which runs are looked at in other processes, by what those say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from callsheet.kit.clock import Clock

AGAIN_S: Final = 2.0
"""How often a process says what it looks at."""
FORGOTTEN_AFTER_S: Final = 3 * AGAIN_S + 1
DEAF_S: Final = AGAIN_S + 0.5
"""Until everybody has said again what it looks at."""


class Watchers:
    """Remembers what was heard for as long as three more words should have come."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heard_at: dict[UUID, float] = {}
        self._deaf_until = clock.monotonic() + DEAF_S

    def heard(self, run_ids: Iterable[UUID]) -> set[UUID]:
        """Another process looks at these; those of which that is news."""
        now = self._clock.monotonic()
        news = {run_id for run_id in run_ids if not self.has(run_id)}
        self._heard_at.update(dict.fromkeys(run_ids, now))
        return news

    def has(self, run_id: UUID) -> bool:
        """Whether another process has lately said that it looks at the run."""
        heard_at = self._heard_at.get(run_id)
        return heard_at is not None and self._clock.monotonic() - heard_at < FORGOTTEN_AFTER_S

    def may_have(self, run_id: UUID) -> bool:
        """The same, and true where words may have been missed."""
        return self.has(run_id) or self._clock.monotonic() < self._deaf_until

    def deaf(self) -> None:
        """The line is, or was just now, down."""
        self._deaf_until = self._clock.monotonic() + DEAF_S

    def tidy(self) -> None:
        """Drop what is forgotten."""
        for run_id in [run_id for run_id in self._heard_at if not self.has(run_id)]:
            del self._heard_at[run_id]
