"""Writes down when keys were used, beside the requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from callsheet.auth.key_store import write_uses
from callsheet.db.transaction import Database
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log

_EVERY_S: Final = 60.0
_LAST_S: Final = 2.0

log = get_log(__name__)


class KeyUses:
    """Remembers the last use of each key and stores it once a minute."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._uses: dict[UUID, datetime] = {}

    def note(self, key_id: UUID, at: datetime) -> None:
        """The key was used; takes no time."""
        self._uses[key_id] = at

    async def run(self) -> None:
        """Store once a minute until cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(_EVERY_S)
                await self.write()
        finally:
            try:
                async with asyncio.timeout(_LAST_S):
                    await self.write()
            except TimeoutError:
                log.warning("key_uses_not_stored", error="no answer in time")

    async def write(self) -> None:
        """Store what was noted; what cannot be stored now is kept for the next time."""
        uses, self._uses = self._uses, {}
        if not uses:
            return
        try:
            async with self._database().transaction() as tx:
                await write_uses(tx, uses)
        except AppError as error:
            self._uses = uses | self._uses
            log.warning("key_uses_not_stored", error=str(error))
