"""May this user begin a turn now? Rates, spent budgets, and patience with what goes wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest
from callsheet.admission.limits_store import look, troubles_of
from callsheet.admission.slow_down import WITHIN, SlowDown, wait_s
from callsheet.db.driver import DriverTx
from callsheet.db.driver_pool import DriverPool
from callsheet.kit.clock import Clock
from callsheet.kit.errors import RateLimited, Refused
from callsheet.ledger.budget.extensions import session_extensions
from callsheet.ledger.budget.judge import spent_scope
from callsheet.ledger.budget.limits import MEASURES, Limits
from callsheet.ledger.budget.quotas import Quotas
from callsheet.ledger.budget.spent import scope_ends, spent_before_turn
from callsheet.ledger.rate.rates import UserRate
from callsheet.ledger.rate.room import Reason, Traffic, minute_left_s, user_is_full
from callsheet.ledger.rate.store import count_request, lock_rate
from callsheet.ledger.refused_turn import RefusedTurn, add_refusal

_COME_BACK_S: Final[Mapping[Reason, float]] = {"concurrency": 5.0, "tokens": 15.0}
_WHY: Final[Mapping[Reason, str]] = {
    "requests": "You have begun as many turns in this minute as you may.",
    "tokens": "You have used as many tokens in the last minute as you may.",
    "concurrency": "You have as many turns under way as you may; wait for one to end.",
}


class Asking(Protocol):
    """Who wants a turn, or something else that models are asked for, and where."""

    @property
    def user_id(self) -> UUID: ...

    @property
    def session_id(self) -> UUID: ...

    @property
    def run_id(self) -> UUID:
        """Of the run that it would be; another id where it is none."""
        ...


class TurnLimits:
    """Asks before a turn; where nothing is limited and nobody is in trouble it asks nothing."""

    def __init__(
        self,
        pool: DriverPool,
        quotas: Quotas,
        rate: UserRate,
        clock: Clock,
        currency: str,
    ) -> None:
        self._pool = pool
        self._quotas = quotas
        self._rate = rate
        self._clock = clock
        self._currency = currency
        self._slow_down = SlowDown(clock)

    def note_trouble(self, user_id: UUID) -> None:
        """A turn of the user has failed."""
        self._slow_down.note(user_id)

    @asynccontextmanager
    async def let_in(self, request: Asking) -> AsyncIterator[None]:
        """`async with`: the run has to be let in inside the block, so that no other slips by.

        To look on at a run that was let in before is not limited. What is refused is written
        down; who was told to wait and did not is only counted, with the next refusal.

        Raises:
            RateLimited: with `retry_after_s`.
            QuotaSpent: of a budget nothing is left.
        """
        limits = Limits()
        if self._quotas.applies():
            limits = self._quotas.limits_of(request.user_id)
        suspect = self._slow_down.suspects(request.user_id)
        if not (suspect or self._rate.is_limited or limits.scopes):
            yield
            return
        left_s = self._slow_down.left_s(request.user_id)
        if left_s > 0:
            raise _slower(left_s)
        async with self._pool.transaction() as tx:
            no = await self._judged(tx, request, limits, suspect=suspect)
            if no is None:
                yield
        if no is not None:
            await self._write_down(request, no)
            raise no.error

    async def _judged(
        self, tx: DriverTx, request: Asking, limits: Limits, *, suspect: bool
    ) -> _No | None:
        user_id, now = request.user_id, self._clock.now()
        await lock_rate(tx, "user", str(user_id))
        is_known, traffic = await look(tx, user_id, request.run_id, now)
        if is_known:
            return None
        no = await self._too_much_trouble(tx, user_id, now) if suspect else None
        no = no or self._too_fast(traffic, now)
        if no is None and limits.scopes:
            no = await self._spent(tx, request, limits, now)
        if no is None and self._rate.requests_per_minute is not None:
            first = traffic.requests == 0
            await count_request(tx, "user", str(user_id), now, 0, is_first=first)
        return no

    async def _too_much_trouble(self, tx: DriverTx, user_id: UUID, now: datetime) -> _No | None:
        troubles = await troubles_of(tx, user_id, now, WITHIN)
        if troubles.last is None:
            return None
        left_s = wait_s(troubles.number) - (now - troubles.last).total_seconds()
        if left_s <= 0:
            return None
        turned_away = self._slow_down.block(user_id, left_s)
        error = _slower(left_s)
        detail = {"troubles": troubles.number, "turnedAway": turned_away, **error.extra}
        return _No(error, detail)

    def _too_fast(self, traffic: Traffic, now: datetime) -> _No | None:
        reason = user_is_full(self._rate, traffic)
        if reason is None:
            return None
        after_s = _COME_BACK_S.get(reason) or minute_left_s(now)
        error = RateLimited(_WHY[reason], scope="user", reason=reason, retry_after_s=after_s)
        return _No(error, error.extra)

    async def _spent(
        self, tx: DriverTx, request: Asking, limits: Limits, now: datetime
    ) -> _No | None:
        zone = self._quotas.zone
        if limits.of("session"):
            limits = await self._of_session(tx, request, limits)
        spent = await spent_before_turn(tx, request.user_id, request.session_id, now, zone)
        refusal = spent_scope(limits, spent, self._currency, scope_ends(now, zone))
        return None if refusal is None else _No(refusal.error(), refusal.detail())

    @staticmethod
    async def _of_session(tx: DriverTx, request: Asking, limits: Limits) -> Limits:
        """The limits, the session's as people have extended it; none where the run will ask."""
        if isinstance(request, AdmissionRequest) and request.asks_for_budget:
            return limits.but({"session": dict.fromkeys(MEASURES)})
        times = await session_extensions(tx, request.session_id)
        return limits.extended("session", times)

    async def _write_down(self, request: Asking, no: _No) -> None:
        if "troubles" not in no.detail:
            self._slow_down.note(request.user_id)
        refused = RefusedTurn(
            at=self._clock.now(),
            user_id=request.user_id,
            run_id=request.run_id,
            code=no.error.error_code,
            scope=str(no.error.extra["scope"]).partition("_")[0],
            detail=no.detail,
        )
        async with self._pool.transaction() as tx:
            await add_refusal(tx, refused)


@dataclass(frozen=True, slots=True)
class _No:
    """What the caller is told, and what is written down."""

    error: Refused
    detail: Mapping[str, Any]


def _slower(left_s: float) -> RateLimited:
    return RateLimited(
        "Your last turns were refused or failed; wait a moment before you begin another.",
        scope="user",
        reason="slow_down",
        retry_after_s=left_s,
    )
