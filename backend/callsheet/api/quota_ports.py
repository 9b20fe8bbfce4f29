"""What the router of quotas needs from the service behind it."""

from __future__ import annotations

from typing import Protocol

from callsheet.auth.principal import Principal
from callsheet.ledger.budget.limits import Override
from callsheet.ledger.budget.user_quota import UserQuota


class UserQuotas(Protocol):
    """Limits of users. Another user's are NotFound but for admins."""

    async def get(self, principal: Principal, user: str | None) -> UserQuota:
        """Those of the user of that name; None: the caller's own."""
        ...

    async def set(self, principal: Principal, user: str | None, override: Override) -> UserQuota:
        """Replace what is set for the user; raises Forbidden for who is no admin."""
        ...
