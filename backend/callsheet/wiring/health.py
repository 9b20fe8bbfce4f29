"""Whether this process can serve turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from callsheet.kit.errors import AppError
from callsheet.kit.readiness import Part
from callsheet.wiring.application import DATABASE, Application

_PING_S: Final = 2.0


class HealthService:
    """Asks the parts of one application."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def parts(self) -> Sequence[Part]:
        """Every part that a turn needs; the database is asked now."""
        parts = list(self._application.readiness.parts())
        for index, part in enumerate(parts):
            if part.name == DATABASE and part.ready:
                parts[index] = await self._database()
        return parts

    async def _database(self) -> Part:
        try:
            async with asyncio.timeout(_PING_S):
                await self._application.core().database.ping()
        except (AppError, TimeoutError) as error:
            return Part(DATABASE, ready=False, detail=str(error) or "no answer in time")
        return Part(DATABASE, ready=True)
