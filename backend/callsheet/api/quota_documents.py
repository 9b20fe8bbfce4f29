"""The documents about what may be spent. Money is in decimal strings."""

from __future__ import annotations

from typing import Annotated

import msgspec

from callsheet.api.documents import Document
from callsheet.api.usage_documents import Shown
from callsheet.ledger.budget.limits import MONEY_DIGITS, MONEY_PLACES, MOST_COUNT

Amount = Annotated[
    str, msgspec.Meta(pattern=rf"^\d{{1,{MONEY_DIGITS}}}(\.\d{{1,{MONEY_PLACES}}})?$")
]
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNT)]


class Bounds(Document, frozen=True, kw_only=True):
    """The most of each; null where there is no limit."""

    tokens: int | None
    calls: int | None
    cost: str | msgspec.UnsetType | None = msgspec.UNSET


class QuotaLimits(Document, frozen=True, kw_only=True):
    """The limits that hold for a user."""

    run: Bounds
    session: Bounds
    user_day: Bounds
    user_month: Bounds


class OwnBounds(Document, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What differs for one user: null lifts a limit, what is left out holds as for everybody."""

    tokens: Count | msgspec.UnsetType | None = msgspec.UNSET
    calls: Count | msgspec.UnsetType | None = msgspec.UNSET
    cost: Amount | msgspec.UnsetType | None = msgspec.UNSET


class OwnLimits(Document, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is set for one user; it replaces what was set before. `{}` sets nothing."""

    run: OwnBounds | msgspec.UnsetType = msgspec.UNSET
    session: OwnBounds | msgspec.UnsetType = msgspec.UNSET
    user_day: OwnBounds | msgspec.UnsetType = msgspec.UNSET
    user_month: OwnBounds | msgspec.UnsetType = msgspec.UNSET


class Quota(Document, frozen=True, kw_only=True):
    """The limits that hold for a user, and what was set for them alone.

    Days and months are those of `zone`.
    """

    user: str
    zone: str
    limits: QuotaLimits
    own: OwnLimits
    currency: Shown = msgspec.UNSET
