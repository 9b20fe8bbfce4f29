"""A user whose turns are refused or fail again and again has to wait, ever longer."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from callsheet.kit.clock import Clock

WITHIN: Final = timedelta(minutes=5)
"""Troubles that are older are forgotten."""
PATIENCE: Final = 5
"""So many troubles cost nothing."""
LONGEST_WAIT_S: Final = 60.0
_MOST_USERS: Final = 10_000


def wait_s(troubles: int) -> float:
    """Seconds to wait after the last of so many troubles: 0, then 1, 2, 4, up to a minute."""
    if troubles < PATIENCE:
        return 0.0
    return min(LONGEST_WAIT_S, 2.0 ** min(troubles - PATIENCE, 10))


@dataclass(slots=True)
class _Block:
    until_s: float
    turned_away: int = 0


class SlowDown:
    """What this process remembers of users in trouble, so that others cost no look.

    A user who had trouble in this process lately is looked up in the database, where that of all
    processes is; one who has to wait is turned away from memory until the wait is over.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._troubled: OrderedDict[UUID, float] = OrderedDict()
        self._blocks: dict[UUID, _Block] = {}

    def note(self, user_id: UUID) -> None:
        """The user was refused, or a turn of theirs has failed."""
        self._troubled[user_id] = self._clock.monotonic()
        self._troubled.move_to_end(user_id)
        if len(self._troubled) > _MOST_USERS:
            oldest, _ = self._troubled.popitem(last=False)
            self._blocks.pop(oldest, None)

    def suspects(self, user_id: UUID) -> bool:
        """Whether the database has to be asked about the user."""
        last = self._troubled.get(user_id)
        if last is None:
            return False
        if self._clock.monotonic() - last > WITHIN.total_seconds():
            del self._troubled[user_id]
            self._blocks.pop(user_id, None)
            return False
        return True

    def left_s(self, user_id: UUID) -> float:
        """Seconds that the user still has to wait; each question about it is counted."""
        block = self._blocks.get(user_id)
        if block is None:
            return 0.0
        left = block.until_s - self._clock.monotonic()
        if left > 0:
            block.turned_away += 1
        return max(0.0, left)

    def block(self, user_id: UUID, seconds: float) -> int:
        """The user has to wait; how often they were turned away from memory since the last time."""
        before = self._blocks.get(user_id)
        self._blocks[user_id] = _Block(self._clock.monotonic() + seconds)
        return before.turned_away if before else 0
