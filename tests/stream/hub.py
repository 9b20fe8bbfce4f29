"""What goes between processes, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from random import Random
from uuid import UUID

from callsheet.kit.errors import Unavailable
from callsheet.stream.protocol import Entries


class Hub:
    """Hands words to all who listen; `loses` says of each whether it gets lost."""

    def __init__(self, loses: Callable[[], bool] = lambda: False) -> None:
        self.loses = loses
        self.said: list[str] = []
        self.takers: list[Callable[[str], None]] = []
        self.cut = asyncio.Event()

    async def say(self, words: Sequence[str]) -> bool:
        await asyncio.sleep(0)
        self.said += words
        for word in words:
            for take in self.takers:
                if not self.loses():
                    take(word)
        return True

    async def listen(self, take: Callable[[str], None], ready: Callable[[], None]) -> None:
        self.takers.append(take)
        ready()
        try:
            await self.cut.wait()
            raise Unavailable("The line is down.", service="database")
        finally:
            self.takers.remove(take)

    def verbs(self) -> list[str]:
        return [word.partition(" ")[0] for word in self.said]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.001)


class Post:
    """Carries entries between processes, in memory: late, twice, out of order, or not at all."""

    def __init__(self, chance: Random, lost: float) -> None:
        self.chance = chance
        self.lost = lost
        self.boxes: list[Box] = []

    def box(self) -> Box:
        """The carrier of one more process."""
        self.boxes.append(Box(self))
        return self.boxes[-1]


class Box:
    """Implements `Carrier`."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._take: Callable[[UUID, Entries], None] | None = None
        self._watched: set[UUID] = set()

    def send(self, run_id: UUID, entries: Entries) -> bool:
        chance, lost = self._post.chance, self._post.lost
        if chance.random() < lost / 2:
            return False
        for box in self._post.boxes:
            for _ in range(chance.randint(1, 2)):
                if box is not self and chance.random() >= lost:
                    delay_s = chance.choice((0.0, 0.0, 0.001))
                    asyncio.get_running_loop().call_later(delay_s, box.come, run_id, entries)
        return True

    def come(self, run_id: UUID, entries: Entries) -> None:
        if self._take is not None and run_id in self._watched:
            self._take(run_id, entries)

    def watch(self, run_ids: Iterable[UUID]) -> None:
        self._watched = set(run_ids)

    async def run(
        self, take: Callable[[UUID, Entries], None], lose: Callable[[Iterable[UUID]], None]
    ) -> None:
        self._take = take
        await asyncio.Event().wait()

    async def close(self) -> None:
        self._take = None
