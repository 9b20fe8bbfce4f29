"""What the journal asks before it opens a ledger row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from callsheet.db.driver import DriverTx
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.call import OpenedCall


class Budgets(Protocol):
    """The limits of this deployment."""

    @property
    def zone(self) -> str:
        """The time zone whose days and months are counted."""
        ...

    def applies(self, calls: Sequence[OpenedCall]) -> bool:
        """Whether any of the calls may have a limit; without one nothing is asked."""
        ...

    async def refuse(
        self, connection: DriverTx, calls: Sequence[OpenedCall]
    ) -> Mapping[str, Refusal]:
        """The calls, by id, that may not begin. Inside the transaction that would open them."""
        ...


class NoBudgets:
    """Implements `Budgets`: counts in UTC, refuses nothing."""

    zone = "UTC"

    def applies(self, calls: Sequence[OpenedCall]) -> bool:
        """Never."""
        del calls
        return False

    async def refuse(
        self, connection: DriverTx, calls: Sequence[OpenedCall]
    ) -> Mapping[str, Refusal]:
        """Nothing."""
        del connection, calls
        return {}
