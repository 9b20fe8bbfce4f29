"""What holds for one user, and what was set for them alone."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from callsheet.ledger.budget.limits import Limits, Override


@dataclass(frozen=True, slots=True)
class UserQuota:
    """`limits` are those that hold; `own` is what the database has for the user.

    Days and months are those of `zone`, money is in `currency`.
    """

    user: str
    zone: ZoneInfo
    currency: str
    limits: Limits
    own: Override
