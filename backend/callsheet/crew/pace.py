"""Spreads CrewAI's long steps, so that other runs' text passes in between."""

from __future__ import annotations

import asyncio
from typing import Final

# Text comes in, is stored, is told to its viewers and goes out: each is a round of the loop, and
# in each of them there is more than one run's.
_ROUNDS: Final = 16


class Pace:
    """Shared by all runs of a process.

    Building a crew, kicking it off and ending it each hold the event loop for 1 to 3 ms. Thirty
    runs that change their stage together would hold it for a quarter of a second.
    """

    def __init__(self) -> None:
        self._step = asyncio.Lock()  # one long step between looks at the network
        self._in_line = 0

    async def step(self) -> None:
        """Return when it is the caller's turn for a long step, which is to begin at once.

        The more wait for theirs, the more rounds of the loop there are between two.
        """
        self._in_line += 1
        try:
            async with self._step:
                for _ in range(min(self._in_line, _ROUNDS)):
                    await asyncio.sleep(0)
        finally:
            self._in_line -= 1
