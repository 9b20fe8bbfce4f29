"""May this call be made? Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from callsheet.ledger.budget.limits import MEASURES, Limits, Scope
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.budget.standing import NOTHING, Claim, Place, Spent, Standing


def judge(
    claim: Claim, limits: Limits, standing: Standing, ends: Callable[[Place], datetime | None]
) -> Refusal | None:
    """The first limit that the call would pass, None where it may be made.

    What is spent, what is held and what the call may cost at most must fit under each limit
    together, so that the only thing that can pass one is the error of an estimate. `ends` tells
    when a place's period ends.
    """
    for scope in limits.scopes:
        place = claim.places[scope]
        spent = standing.get(place, NOTHING)
        for measure in MEASURES:
            limit = limits.of(scope).get(measure)
            if (
                limit is None
                or spent.of(measure) + spent.held(measure) + claim.of(measure) <= limit
            ):
                continue
            return Refusal(
                scope=scope,
                measure=measure,
                limit=limit,
                spent=spent.of(measure),
                held=spent.held(measure),
                asked=claim.of(measure),
                currency=claim.currency,
                resets_at=ends(place),
            )
    return None


def judge_all(
    claims: Sequence[tuple[Claim, Limits]],
    standing: Standing,
    ends: Callable[[Place], datetime | None],
) -> Mapping[str, Refusal]:
    """The refusals by call, judged in order: each call that may be made holds what it may cost."""
    now = dict(standing)
    refusals: dict[str, Refusal] = {}
    for claim, limits in claims:
        refusal = judge(claim, limits, now, ends)
        if refusal is not None:
            refusals[claim.call_id] = refusal
            continue
        for place in claim.places.values():
            now[place] = now.get(place, NOTHING).holding(claim)
    return refusals


def spent_scope(
    limits: Limits,
    spent: Mapping[Scope, Spent],
    currency: str,
    ends: Mapping[Scope, datetime | None],
) -> Refusal | None:
    """The first limit of which nothing is left, so that no call at all could be made."""
    for scope in limits.scopes:
        if scope not in spent:
            continue
        for measure in MEASURES:
            limit = limits.of(scope).get(measure)
            if limit is None or spent[scope].of(measure) < limit:
                continue
            return Refusal(
                scope=scope,
                measure=measure,
                limit=limit,
                spent=spent[scope].of(measure),
                held=spent[scope].held(measure),
                asked=spent[scope].of(measure) * 0,
                currency=currency,
                resets_at=ends.get(scope),
            )
    return None
