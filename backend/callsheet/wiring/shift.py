"""One process at work: its runs, what goes on beside them, and its orderly end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.settings.worker import WorkerSettings
from callsheet.wiring.beside import keep_going
from callsheet.wiring.claims import Claims
from callsheet.wiring.core import Core
from callsheet.wiring.expiry import Expiry
from callsheet.wiring.hand_over import HandOver
from callsheet.wiring.life import Life
from callsheet.wiring.tidying import Tidying

log = get_log(__name__)

Works = Sequence[Callable[[], Awaitable[None]]]


class Shift:
    """`beside`: what else goes on until the end."""

    def __init__(
        self, core: Core, life: Life, claims: Claims | None, options: WorkerSettings, beside: Works
    ) -> None:
        self._core = core
        self._life = life
        self._claims = claims
        self._options = options
        self._beside = beside
        self._hand_over = HandOver(core, options.take_overs)

    async def run(self, stop: asyncio.Event, drain_s: float, begun: Callable[[], None]) -> None:
        """Work until `stop`; then runs may end within `drain_s`, and the rest is handed on."""
        core, lease_s = self._core, self._options.lease_s
        sweep = partial(core.recovery.watch, lease_s / 3, lease_s / 6, self._hand_over.of_dead)
        taking: Works = [sweep] if self._claims is None else [sweep, self._claims.run]
        also: Works = (
            *self._life.works,
            *self._beside,
            *core.beside,
            Expiry(core).run,
            Tidying(core).run,
        )
        async with asyncio.TaskGroup() as working:
            jobs = working.create_task(core.jobs.run(drain_s, self._let_go))
            takers = [working.create_task(keep_going(work)) for work in taking]
            beside = [working.create_task(keep_going(work)) for work in also]
            begun()
            await stop.wait()
            core.jobs.stop()
            for task in takers:
                task.cancel()
            await self._life.heartbeat.drain()
            await jobs
            await self._let_go()  # also what was claimed and not begun yet
            for task in beside:
                task.cancel()

    async def _let_go(self) -> None:
        """What still goes on here is fenced from then on, and stopped."""
        try:
            await self._hand_over.of_own()
        except AppError:
            log.exception("runs_not_handed_over")
