"""Calls to a provider begin no faster than it may be asked, all processes together."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final
from uuid import UUID

from callsheet.db.driver import DriverTx
from callsheet.db.driver_pool import DriverPool
from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import RateLimited, Unavailable
from callsheet.ledger.rate.rates import ProviderRate
from callsheet.ledger.rate.room import Reason, minute_left_s, provider_is_full
from callsheet.ledger.rate.store import count_request, lock_rate, traffic_of_provider
from callsheet.ledger.refused_turn import RefusedTurn, add_refusal

_FREE: Final = nullcontext()
_LOOK_AGAIN_S: Final = 0.1
_JITTER_S: Final = 0.1
"""Waiting processes do not all come back at the same moment."""


class ProviderRates:
    """Hands out turns, each to one call at a time; a call without limits costs nothing.

    `sleep` waits for that many seconds.
    """

    def __init__(
        self,
        rates: Mapping[str, ProviderRate],
        pool: Callable[[], DriverPool],
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._rates = {name: rate for name, rate in rates.items() if rate.is_limited}
        self._pool = pool
        self._clock = clock
        self._sleep = sleep
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def of_run(self, user_id: UUID, run_id: UUID) -> RunRates:
        """The same for the calls of one run; what is refused is written down with its user."""
        return RunRates(self, user_id, run_id)

    def limits(self, factory: str) -> bool:
        """Whether there is anything to wait for."""
        return factory in self._rates

    @asynccontextmanager
    async def turn(self, factory: str, tokens: int, deadline: Deadline) -> AsyncIterator[None]:
        """Waits for room; the call's ledger row has to be opened inside the block.

        From there on the open row counts. `tokens` is what the call may use. A call that is not
        opened after all does not count.

        Raises:
            RateLimited: there would be no room before the deadline.
            Unavailable: the database could not be asked.
        """
        rate = self._rates[factory]
        async with _in_line(self._lines[factory], factory, deadline):
            opened = False
            while True:
                try:
                    async with self._pool().transaction() as tx:
                        reason = await self._asked(tx, factory, rate, tokens)
                        if reason is None:
                            yield
                            opened = True
                except Unavailable:
                    if not opened:
                        raise  # else the row is open, and only the count of it is lost
                if opened or reason is None:
                    return
                await self._wait(factory, reason, deadline)

    async def write_down(self, user_id: UUID, run_id: UUID, refused: RateLimited) -> None:
        """That the run found no room."""
        scope, detail = str(refused.extra["scope"]), refused.extra
        at, code = self._clock.now(), refused.error_code
        async with self._pool().transaction() as tx:
            await add_refusal(tx, RefusedTurn(at, user_id, run_id, code, scope, detail))

    async def _asked(
        self, tx: DriverTx, factory: str, rate: ProviderRate, tokens: int
    ) -> Reason | None:
        """Count the call where there is room for it; else why there is none."""
        await lock_rate(tx, "provider", factory)
        now = self._clock.now()
        traffic = await traffic_of_provider(tx, factory, now)
        reason = provider_is_full(rate, traffic, tokens)
        if reason is None:
            is_first = traffic.requests == 0
            await count_request(tx, "provider", factory, now, tokens, is_first=is_first)
        return reason

    async def _wait(self, factory: str, reason: Reason, deadline: Deadline) -> None:
        wait_s = _LOOK_AGAIN_S
        if reason != "concurrency":
            wait_s = minute_left_s(self._clock.now())
        if wait_s >= deadline.left_s():
            raise _too_late(factory, wait_s)
        await self._sleep(wait_s + random.uniform(0, _JITTER_S))  # noqa: S311 - no secret


class RunRates:
    """Hands out the turns of one run's calls."""

    def __init__(self, rates: ProviderRates, user_id: UUID, run_id: UUID) -> None:
        self._rates = rates
        self._user_id = user_id
        self._run_id = run_id

    def turn(
        self, factory: str, tokens: int, deadline: Deadline
    ) -> AbstractAsyncContextManager[None]:
        """See `ProviderRates.turn`."""
        if not self._rates.limits(factory):
            return _FREE
        return self._turn(factory, tokens, deadline)

    @asynccontextmanager
    async def _turn(self, factory: str, tokens: int, deadline: Deadline) -> AsyncIterator[None]:
        try:
            async with self._rates.turn(factory, tokens, deadline):
                yield
        except RateLimited as refused:
            await self._rates.write_down(self._user_id, self._run_id, refused)
            raise


@asynccontextmanager
async def _in_line(line: asyncio.Lock, factory: str, deadline: Deadline) -> AsyncIterator[None]:
    """Behind the calls of this process that came before."""
    timeout = deadline.timeout()
    try:
        async with timeout:
            await line.acquire()
    except TimeoutError as error:
        if not timeout.expired():
            raise
        raise _too_late(factory, _LOOK_AGAIN_S) from error
    try:
        yield
    finally:
        line.release()


def _too_late(factory: str, wait_s: float) -> RateLimited:
    return RateLimited(
        f"{factory} is asked as often as it may be; there is no room within the time that is left.",
        scope="provider",
        factory=factory,
        retry_after_s=wait_s,
    )
