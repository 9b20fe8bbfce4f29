"""A line between processes, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from callsheet.kit.errors import Unavailable


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
