"""Spreads CrewAI's long steps, so that other runs' text passes in between."""

from __future__ import annotations

import asyncio


class Pace:
    """Shared by all runs of a process.

    Building a crew, kicking it off and ending it each hold the event loop for 2 to 3 ms. Thirty
    runs that change their stage together would hold it for a quarter of a second.
    """

    def __init__(self) -> None:
        self._step = asyncio.Lock()  # one long step between two looks at the network

    async def step(self) -> None:
        """Return when it is the caller's turn for a long step, which is to begin at once."""
        async with self._step:
            await asyncio.sleep(0)
