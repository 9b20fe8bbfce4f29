"""What a user has set for one session."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

import msgspec

SessionMode = Literal["full", "plan"]

LONGEST_PERSONA: Final = 2_000


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What holds for the runs of a session; the defaults are those of one where nothing is set.

    `persona` is the user's own text: how the answers should be. `budget` is the most that the
    session's calls may cost, in the accounting currency.
    """

    mode: SessionMode = "full"
    persona: str | None = None
    budget: Decimal | None = None


@dataclass(frozen=True, slots=True)
class SessionChange:
    """An edit: UNSET leaves as it is; None takes away what is set, or back to the default."""

    title: str | msgspec.UnsetType | None = msgspec.UNSET
    pinned: bool | msgspec.UnsetType | None = msgspec.UNSET
    mode: SessionMode | msgspec.UnsetType | None = msgspec.UNSET
    persona: str | msgspec.UnsetType | None = msgspec.UNSET
    budget: Decimal | msgspec.UnsetType | None = msgspec.UNSET
