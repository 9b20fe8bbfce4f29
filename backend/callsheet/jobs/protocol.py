"""Jobs, and the queue of runs that wait for a worker, as the rest of the product sees them."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from callsheet.db.transaction import Read, Tx


class Jobs(Protocol):
    """The jobs of this process."""

    async def cancel(self, job_id: UUID, reason: str, /) -> bool:
        """Stop one and return once it has ended; False where it is not under way here."""
        ...


class Queue(Protocol):
    """Hands each run to one worker. Everything happens in the caller's transaction."""

    async def submit(self, tx: Tx, run_id: UUID, priority: int) -> None:
        """The run waits, behind those of a higher priority; one that waits already does so once.

        A worker hears of it as soon as the transaction is committed.
        """
        ...

    async def has_any(self, tx: Read) -> bool:
        """Whether any run waits."""
        ...

    async def claim(self, tx: Tx, most: int) -> tuple[UUID, ...]:
        """The first `most` that nobody else is claiming now, in order; they wait no more."""
        ...

    async def cancel(self, tx: Tx, run_id: UUID) -> None:
        """The run waits no more, if it did."""
        ...

    async def tidy(self, tx: Tx) -> None:
        """Forget what is kept of runs that wait no more."""
        ...
