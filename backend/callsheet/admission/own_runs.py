"""The runs that a process has in its hands, as the gate sees them."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID


class OwnRuns(Protocol):
    """The runs that this process has in its hands."""

    def has(self, run_id: UUID, /) -> bool:
        """Whether the run is under way here, or about to be."""
        ...

    def expect(self, run_id: UUID, /) -> None:
        """The run is being let in: as soon as others can see it, `has` must be true."""
        ...

    def forget(self, run_id: UUID, /) -> None:
        """It was not let in."""
        ...
