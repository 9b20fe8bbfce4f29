"""Live fan-out among processes that share a database.

A process with a viewer of a run that is not its own says so, again and again while the viewer
stays. Whoever commits events of a run that is looked at elsewhere then says that, once for all
that it has just committed, and the viewer's process reads them. Nothing depends on a word: what is
not heard is found by looking, a little later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError, Unavailable
from callsheet.kit.ids import new_id
from callsheet.kit.log import get_log
from callsheet.stream.elsewhere import Elsewhere
from callsheet.stream.local import LocalBroker
from callsheet.stream.protocol import Carrier, JournalReader, Line
from callsheet.stream.subscription import Subscription
from callsheet.stream.watchers import AGAIN_S, FORGOTTEN_AFTER_S, Watchers

_PACE_S: Final = 0.01
"""Between two words: what is committed meanwhile goes into the next one."""
_RECONNECT_S: Final = 0.5
_MOST_IDS: Final = 200
"""In one word, which may have 8,000 bytes."""
_WATCH: Final = "watch"
_WROTE: Final = "wrote"

_log = get_log(__name__)


class SharedBroker:
    """Implements `Broker`; `is_here` tells which runs are under way in this process.

    `run` must be running for anything to be told or heard. A run is looked for every `again_s`.
    """

    def __init__(
        self,
        journal: JournalReader,
        line: Line,
        clock: Clock,
        is_here: Callable[[UUID], bool],
        again_s: float = AGAIN_S,
        carrier: Carrier | None = None,
    ) -> None:
        self._local = LocalBroker()
        self._line = line
        self._clock = clock
        self._is_here = is_here
        self._again_s = again_s
        self._carrier = carrier
        self._me = new_id().hex
        self._elsewhere = Elsewhere(self._local, journal)
        self._watchers = Watchers(clock)
        self._wrote_at: dict[UUID, float] = {}
        self._to_say: dict[str, set[UUID]] = {_WATCH: set(), _WROTE: set()}
        self._has_words = asyncio.Event()

    # -- the broker ----------------------------------------------------------------------------

    def publish(self, run_id: UUID, entries: tuple[Entry, ...]) -> None:
        """Hand what was committed here to the viewers here, and tell the processes of others."""
        self._local.publish(run_id, entries)
        self._wrote_at[run_id] = self._clock.monotonic()
        if self._watchers.has(run_id) and not self._sent(run_id, entries):
            self._say(_WROTE, run_id)
        if self._elsewhere.has(run_id):
            self._elsewhere.caught_up(run_id, entries[-1].seq)
            if isinstance(entries[-1].event, TERMINAL):
                self._elsewhere.drop(run_id)

    def subscribe(self, run_id: UUID) -> Subscription:
        """Begin to receive what is committed from now on, wherever that is."""
        viewer = self._local.subscribe(run_id)
        self._look_elsewhere(run_id)
        return viewer

    def unsubscribe(self, run_id: UUID, viewer: Subscription) -> None:
        """Stop receiving; safe to call twice."""
        self._local.unsubscribe(run_id, viewer)
        if not self._local.is_watched(run_id):
            self._drop(run_id)

    def caught_up(self, run_id: UUID, viewer: Subscription, seq: int) -> None:
        """The viewer has read the journal up to `seq` and waits for what follows."""
        self._local.caught_up(run_id, viewer, seq)
        self._elsewhere.caught_up(run_id, seq)

    def break_off(self, run_id: UUID, error: AppError | None) -> None:
        """Tell the run's viewers in this process that no more of it can be shown here."""
        self._drop(run_id)
        self._local.break_off(run_id, error)

    def looked_at(self) -> tuple[UUID, ...]:
        """The runs that somebody looks at in this process."""
        return self._local.looked_at()

    def is_watched(self, run_id: UUID) -> bool:
        """Whether anybody looks at the run here, or may do so elsewhere."""
        return self._local.is_watched(run_id) or self._watchers.may_have(run_id)

    async def close(self) -> None:
        """Close what carries, once `run` has ended."""
        if self._carrier is not None:
            await self._carrier.close()

    # -- the line ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Say words, read what others wrote, and look again and again, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._speak())
            group.create_task(self._read())
            group.create_task(self._look_again())
            if self._carrier is not None:
                group.create_task(self._carry(self._carrier))

    async def _listen(self) -> None:
        while True:
            try:
                await self._line.listen(self._hear, self._connected)
            except Unavailable:
                self._watchers.deaf()
                await asyncio.sleep(_RECONNECT_S)

    def _hear(self, word: str) -> None:
        """Take in a word of the line, one's own too; what is no word of ours is passed over."""
        verb, _, rest = word.partition(" ")
        who, _, named = rest.partition(" ")
        if who == self._me:
            return
        with suppress(ValueError):
            run_ids = {UUID(run_id) for run_id in named.split(",")}
            if verb == _WROTE:
                self._elsewhere.wake(*run_ids)
            elif verb == _WATCH:
                for run_id in self._watchers.heard(run_ids) & self._wrote_at.keys():
                    self._say(_WROTE, run_id)  # they may have read just before that

    def _connected(self) -> None:
        """The line is up: say what was not heard meanwhile, and look for what was not told."""
        self._watchers.deaf()
        self._look_at_all()

    async def _speak(self) -> None:
        while True:
            await self._has_words.wait()
            self._has_words.clear()
            words = [
                f"{verb} {self._me} {','.join(ids)}"
                for verb, run_ids in self._to_say.items()
                for ids in _batches(run_ids)
            ]
            for run_ids in self._to_say.values():
                run_ids.clear()
            if not await self._line.say(words):
                self._watchers.deaf()
            await asyncio.sleep(_PACE_S)

    async def _read(self) -> None:
        while True:
            try:
                await self._elsewhere.run()
            except AppError as error:
                _log.warning("views_not_read", error=str(error))
                await asyncio.sleep(self._again_s)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(self._again_s)
            self._watchers.tidy()
            old = self._clock.monotonic() - FORGOTTEN_AFTER_S
            for run_id in [run_id for run_id, at in self._wrote_at.items() if at < old]:
                del self._wrote_at[run_id]
            self._look_at_all()

    def _look_at_all(self) -> None:
        """Also at what has changed its process since: a run may be taken over."""
        for run_id in self._local.looked_at():
            self._look_elsewhere(run_id)
        self._watch()
        for run_id in self._elsewhere.ids():
            self._say(_WATCH, run_id)
            self._elsewhere.wake(run_id)

    def _look_elsewhere(self, run_id: UUID) -> None:
        if self._is_here(run_id):
            self._drop(run_id)
        elif self._elsewhere.add(run_id):
            self._say(_WATCH, run_id)
            self._watch()

    def _drop(self, run_id: UUID) -> None:
        if self._elsewhere.has(run_id):
            self._elsewhere.drop(run_id)
            self._watch()

    # -- the carrier, where there is one ---------------------------------------------------------

    async def _carry(self, carrier: Carrier) -> None:
        while True:
            try:
                await carrier.run(self._elsewhere.handed, self._not_sent)
            except Unavailable as error:
                _log.warning("views_not_carried", error=str(error))
                await asyncio.sleep(self._again_s)

    def _sent(self, run_id: UUID, entries: tuple[Entry, ...]) -> bool:
        return self._carrier is not None and self._carrier.send(run_id, entries)

    def _not_sent(self, run_ids: Iterable[UUID]) -> None:
        for run_id in run_ids:
            self._say(_WROTE, run_id)

    def _watch(self) -> None:
        if self._carrier is not None:
            self._carrier.watch(self._elsewhere.ids())

    def _say(self, verb: str, run_id: UUID) -> None:
        self._to_say[verb].add(run_id)
        self._has_words.set()


def _batches(run_ids: Iterable[UUID]) -> Iterable[list[str]]:
    ids = [str(run_id) for run_id in run_ids]
    return [ids[start : start + _MOST_IDS] for start in range(0, len(ids), _MOST_IDS)]
