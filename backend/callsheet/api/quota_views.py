"""Limits as the documents that callers see, and back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

import msgspec

from callsheet.api.quota_documents import Bounds, OwnBounds, OwnLimits, Quota, QuotaLimits
from callsheet.kit.money import plain
from callsheet.ledger.budget.limits import MEASURES, OF_USER, Limits, Measure, Override, Scope
from callsheet.ledger.budget.user_quota import UserQuota


def quota_view(quota: UserQuota, *, costs: bool) -> Quota:
    """A user's limits; `costs`: money may be seen."""
    return Quota(
        user=quota.user,
        zone=quota.zone.key,
        limits=QuotaLimits(
            **{scope: _bounds(quota.limits, scope, costs=costs) for scope in OF_USER}
        ),
        own=OwnLimits(**_own(quota.own, costs=costs)),
        currency=quota.currency if costs else msgspec.UNSET,
    )


def override_of(limits: OwnLimits) -> Override:
    """What the body says, without scopes that say nothing."""
    found: dict[Scope, dict[Measure, Decimal | None]] = {}
    for scope in OF_USER:
        bounds = getattr(limits, scope)
        if bounds is msgspec.UNSET:
            continue
        amounts: dict[Measure, Decimal | None] = {
            measure: None if (most := getattr(bounds, measure)) is None else Decimal(most)
            for measure in MEASURES
            if getattr(bounds, measure) is not msgspec.UNSET
        }
        if amounts:
            found[scope] = amounts
    return found


def _bounds(limits: Limits, scope: Scope, *, costs: bool) -> Bounds:
    bounds = limits.of(scope)
    return Bounds(**_amounts({name: bounds.get(name) for name in MEASURES}, costs=costs))


def _own(own: Override, *, costs: bool) -> dict[str, Any]:
    return {
        scope: OwnBounds(**_amounts(amounts, costs=costs))
        for scope, amounts in own.items()
        if scope in OF_USER
    }


def _amounts(amounts: Any, *, costs: bool) -> dict[str, Any]:
    return {
        name: None if most is None else plain(most) if name == "cost" else int(most)
        for name, most in cast(dict[Measure, Decimal | None], amounts).items()
        if costs or name != "cost"
    }
