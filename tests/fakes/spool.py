"""A spool for tests in which the database is never away for long."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from callsheet.events.call import LlmCallFinished
from callsheet.journal.spool import Measured


class NoSpool:
    """Implements `Spool`: keeps nothing."""

    async def keep(self, measured: Sequence[Measured]) -> None:
        del measured

    async def runs(self) -> tuple[UUID, ...]:
        return ()

    async def of(self, run_id: UUID) -> dict[str, LlmCallFinished]:
        del run_id
        return {}

    async def drop(self, run_id: UUID) -> None:
        del run_id
