"""What the routers of usage and billing need from the services behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from callsheet.auth.principal import Principal
from callsheet.kit.pages import Page, PageRequest
from callsheet.ledger.report.ask import Question
from callsheet.ledger.report.calls import Call
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.sums import Report
from callsheet.ledger.report.today import Today


class UsageReports(Protocol):
    """Reads what was spent. Another user, or another's session, is NotFound but for admins."""

    async def today(self, principal: Principal) -> Today:
        """The user's present day and month, and the limits that are set for them."""
        ...

    async def recent(self, principal: Principal, page: PageRequest) -> Page[Call]:
        """The user's own calls, newest first."""
        ...

    async def report(self, principal: Principal, question: Question) -> tuple[Period, Report]:
        """The sums that are asked for, and of which days they are.

        Raises:
            Forbidden: everybody's are asked for, and the caller is no admin.
            BadInput: the period is wrong or too long, or there are too many groups.
        """
        ...

    async def export(
        self, principal: Principal, question: Question
    ) -> tuple[Period, AsyncIterator[Sequence[Call]]]:
        """The calls of the days that are asked for, oldest first, in pages; raises as `report`."""
        ...
