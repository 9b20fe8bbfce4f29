"""Reads what runs wait for."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.store import find_interrupt, list_open
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import Page, PageRequest
from callsheet.wiring.core import Core


class InterruptService:
    """Interrupts of the user who asks; another's are not there."""

    def __init__(self, core: Callable[[], Core]) -> None:
        self._core = core

    async def open(
        self, principal: Principal, session_id: UUID | None, page: PageRequest
    ) -> Page[InterruptRecord]:
        """Those that are open, newest first; of one session, or of all."""
        async with self._core().database.read() as tx:
            return await list_open(tx, principal.user_id, session_id, page)

    async def get(self, principal: Principal, interrupt_id: UUID) -> InterruptRecord:
        """One; NotFound."""
        async with self._core().database.read() as tx:
            found = await find_interrupt(tx, interrupt_id, principal.user_id)
        if found is None:
            raise NotFound("There is no such interrupt.")
        return found
