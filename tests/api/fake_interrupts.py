"""Interrupts in a list."""

from __future__ import annotations

from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import Page, PageRequest
from tests.api.fake_records import _cut


class FakeInterrupts:
    def __init__(self) -> None:
        self.all: list[InterruptRecord] = []

    async def open(
        self, principal: Principal, session_id: UUID | None, page: PageRequest
    ) -> Page[InterruptRecord]:
        found = [
            each
            for each in self.all
            if each.user_id == principal.user_id
            and each.status == "open"
            and session_id in (None, each.session_id)
        ]
        return _cut(found, page)

    async def get(self, principal: Principal, interrupt_id: UUID) -> InterruptRecord:
        for each in self.all:
            if (each.id, each.user_id) == (interrupt_id, principal.user_id):
                return each
        raise NotFound("There is no such interrupt.")
