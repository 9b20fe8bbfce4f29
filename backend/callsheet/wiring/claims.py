"""Takes runs that wait, whenever this process has a free place."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Final
from uuid import UUID

from callsheet.db.channel import Channel
from callsheet.db.options import DatabaseOptions
from callsheet.kit.errors import AppError, Unavailable
from callsheet.kit.log import get_log
from callsheet.runs.lease import Lease
from callsheet.runs.queue_store import claim_runs
from callsheet.wiring.claimed_run import begin_claimed
from callsheet.wiring.core import Core
from callsheet.workflows.live import LiveWorkflows

_CHANNEL: Final = "ch_pgqueuer"
_INSERTED: Final = '"insert"'
_MOST_AT_ONCE: Final = 8
_LOOK_EVERY_S: Final = 5.0
_RECONNECT_S: Final = 0.5

log = get_log(__name__)


class Claims:
    """Hears of runs that wait, and looks for them every few seconds too: a word may be lost."""

    def __init__(
        self,
        core: Core,
        workflows: LiveWorkflows,
        options: DatabaseOptions,
        look_every_s: float = _LOOK_EVERY_S,
    ) -> None:
        self._core = core
        self._workflows = workflows
        self._channel = Channel(options, _CHANNEL)
        self._look_every_s = look_every_s
        self._wake = asyncio.Event()
        self._had_no_room = False
        core.jobs.when_freed(self._room)

    async def run(self) -> None:
        """Claim and begin until cancelled."""
        await self._core.queue.warm()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            while True:
                while await self._claim(group):
                    pass
                try:
                    async with asyncio.timeout(self._look_every_s):
                        await self._wake.wait()
                except TimeoutError:
                    pass
                self._wake.clear()

    async def _listen(self) -> None:
        while True:
            try:
                await self._channel.listen(self._hear, self._wake.set)
            except Unavailable:
                await asyncio.sleep(_RECONNECT_S)

    def _hear(self, word: str) -> None:
        if _INSERTED in word:
            self._wake.set()

    def _room(self) -> None:
        """A place is free. To look each time would be a query for each turn."""
        if self._had_no_room:
            self._wake.set()

    async def _claim(self, group: asyncio.TaskGroup) -> bool:
        """Claim what there is room for; whether there may be more."""
        core = self._core
        self._had_no_room = core.jobs.room() == 0
        if self._had_no_room:
            return False
        try:
            async with core.database.read() as tx:
                if not await core.queue.has_any(tx):
                    return False  # the places are for what is let in here
        except AppError as error:
            log.warning("queue_not_looked_at", error=str(error))
            return False
        most = min(core.jobs.room(), _MOST_AT_ONCE)
        self._had_no_room = most == 0
        if self._had_no_room:
            return False
        with core.jobs.keep(most):
            found, claimed = await self._claimed_or_none(most)
            for run_id, lease in claimed:
                place = ExitStack()
                place.enter_context(core.jobs.keep(1))
                group.create_task(self._begin(run_id, lease, place))
        return found

    async def _claimed_or_none(self, most: int) -> tuple[bool, list[tuple[UUID, Lease]]]:
        try:
            return await self._claimed(most)
        except AppError as error:
            log.warning("runs_not_claimed", error=str(error))
        except Exception:  # border: what is wrong with one claim stops no run that was claimed
            log.exception("claim_failed")
        return False, []

    async def _claimed(self, most: int) -> tuple[bool, list[tuple[UUID, Lease]]]:
        """Whether any waited, and those that still do: the rest were stopped meanwhile."""
        core = self._core
        expected: list[UUID] = []
        try:
            async with core.database.transaction() as tx:
                waiting = await core.queue.claim(tx, most)
                if not waiting:
                    return False, []
                claimed = await claim_runs(tx, waiting, core.worker_id)
                for run_id, _ in claimed:
                    core.jobs.expect(run_id)
                    expected.append(run_id)
        except BaseException:
            for run_id in expected:
                core.jobs.forget(run_id)
            raise
        return True, claimed

    async def _begin(self, run_id: UUID, lease: Lease, place: ExitStack) -> None:
        with place:
            try:
                await begin_claimed(self._core, self._workflows, run_id, lease)
            except Exception:  # border: one run's fault takes no other's worker
                log.exception("claimed_run_refused", run_id=str(run_id))
