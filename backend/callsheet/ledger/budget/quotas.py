"""The limits that hold now, in memory: those of the file, and what the database has for users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID
from zoneinfo import ZoneInfo

from callsheet.ledger.budget.limits import Limits, Override


@dataclass(frozen=True, slots=True)
class QuotaRules:
    """What the file says; `users` are its differences by user."""

    zone: ZoneInfo
    limits: Limits = field(default_factory=Limits)
    users: Mapping[UUID, Override] = field(default_factory=dict)


class Quotas:
    """Tells the limits of a user; what the database has counts more than the file."""

    def __init__(self, rules: QuotaRules) -> None:
        self._rules = rules
        self._stored: Mapping[UUID, Override] = {}
        self._applies = self._any()

    @property
    def zone(self) -> ZoneInfo:
        """Days and months are this zone's."""
        return self._rules.zone

    def applies(self) -> bool:
        """Whether anybody has any limit at all."""
        return self._applies

    def replace(self, stored: Mapping[UUID, Override]) -> None:
        """Take these of the database instead of the ones before."""
        self._stored = dict(stored)
        self._applies = self._any()

    def limits_of(self, user_id: UUID) -> Limits:
        """All limits of the user, those of the deployment among them."""
        limits = self._rules.limits
        for source in (self._rules.users, self._stored):
            override = source.get(user_id)
            if override:
                limits = limits.but(override)
        return limits

    def _any(self) -> bool:
        users = {*self._rules.users, *self._stored}
        return bool(self._rules.limits.scopes) or any(self.limits_of(u).scopes for u in users)
