"""Limits of users, in memory."""

from __future__ import annotations

from decimal import Decimal
from zoneinfo import ZoneInfo

from callsheet.auth.principal import ADMIN, Principal
from callsheet.kit.errors import NotFound
from callsheet.ledger.budget.limits import Limits, Override
from callsheet.ledger.budget.user_quota import UserQuota

EVERYBODY = Limits().but({"user_day": {"cost": Decimal("2.50"), "calls": Decimal(100)}})


class FakeQuotas:
    """Implements `UserQuotas`."""

    def __init__(self) -> None:
        self.own: dict[str, Override] = {}

    async def get(self, principal: Principal, user: str | None) -> UserQuota:
        name = user or principal.name
        if name != principal.name and ADMIN not in principal.scopes:
            raise NotFound("There is no such user.")
        own = self.own.get(name, {})
        return UserQuota(name, ZoneInfo("UTC"), "USD", EVERYBODY.but(own), own)

    async def set(self, principal: Principal, user: str | None, override: Override) -> UserQuota:
        self.own[user or principal.name] = override
        return await self.get(principal, user)
