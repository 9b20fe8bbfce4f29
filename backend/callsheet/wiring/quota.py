"""Limits of users as the API reads and changes them."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from callsheet.auth.principal import ADMIN, Principal, require_admin
from callsheet.db.transaction import Database
from callsheet.kit.errors import NotFound
from callsheet.kit.log import get_log
from callsheet.ledger.budget.limits import Override
from callsheet.ledger.budget.quota_store import set_quota, stored_quota
from callsheet.ledger.budget.quotas import Quotas
from callsheet.ledger.budget.user_quota import UserQuota
from callsheet.ledger.report.store import find_user
from callsheet.wiring.quota_feed import QuotaFeed

_log = get_log(__name__)


class QuotaService:
    """Implements `api.quota_ports.UserQuotas`; `currency` is the accounting one."""

    def __init__(
        self,
        database: Callable[[], Database],
        feed: Callable[[], QuotaFeed],
        quotas: Quotas,
        currency: str,
    ) -> None:
        self._database = database
        self._feed = feed
        self._quotas = quotas
        self._currency = currency

    async def get(self, principal: Principal, user: str | None) -> UserQuota:
        """The caller's own, or for an admin another user's; NotFound for everybody else."""
        name, user_id = await self._find(principal, user)
        await self._feed().refresh()
        async with self._database().read() as tx:
            own = await stored_quota(tx, user_id)
        return UserQuota(
            name, self._quotas.zone, self._currency, self._quotas.limits_of(user_id), own
        )

    async def set(self, principal: Principal, user: str | None, override: Override) -> UserQuota:
        """Replace what is set for a user; this process knows it when it returns.

        Raises:
            Forbidden: the caller is no admin.
            NotFound: there is no such user.
        """
        require_admin(principal)
        name, user_id = await self._find(principal, user)
        async with self._database().transaction() as tx:
            await set_quota(tx, user_id, override, principal.name)
        _log.info("quota_set", user=name, by=principal.name)
        return await self.get(principal, user)

    async def _find(self, principal: Principal, user: str | None) -> tuple[str, UUID]:
        if user is None or user == principal.name:
            return principal.name, principal.user_id
        if ADMIN in principal.scopes:
            async with self._database().read() as tx:
                user_id = await find_user(tx, user)
            if user_id is not None:
                return user, user_id
        raise NotFound("There is no such user.")
