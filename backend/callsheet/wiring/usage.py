"""What was spent: by the caller, and for admins by others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final
from uuid import UUID

from callsheet.auth.principal import ADMIN, Principal, require_admin
from callsheet.db.transaction import Database
from callsheet.kit.clock import Clock
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import Page, PageRequest
from callsheet.ledger.budget.quotas import Quotas
from callsheet.ledger.report.ask import Ask, Filters, Question
from callsheet.ledger.report.calls import Call, calls_after, recent_calls
from callsheet.ledger.report.period import Period, zone_of
from callsheet.ledger.report.store import find_user, owns_session, read_report
from callsheet.ledger.report.sums import Report
from callsheet.ledger.report.today import Today, read_today

LONGEST_DAYS: Final = 366
MOST_GROUPS: Final = 10_000
# Others are served between two pages: this many calls take the event loop for some milliseconds.
_EXPORT_PAGE: Final = 250


class UsageService:
    """Reads the ledger for the user who asks; another's usage is not there, but for admins.

    `currency` is the accounting one; days are those of the quotas' zone unless a caller says.
    """

    def __init__(
        self, database: Callable[[], Database], quotas: Quotas, clock: Clock, currency: str
    ) -> None:
        self._database = database
        self._quotas = quotas
        self._clock = clock
        self._currency = currency

    async def today(self, principal: Principal) -> Today:
        """The user's present day and month, and the limits that are set for them."""
        limits = self._quotas.limits_of(principal.user_id)
        async with self._database().read() as tx:
            return await read_today(
                tx,
                principal.user_id,
                limits,
                self._quotas.zone,
                self._currency,
                self._clock.now(),
            )

    async def recent(self, principal: Principal, page: PageRequest) -> Page[Call]:
        """The user's own calls, newest first."""
        async with self._database().read() as tx:
            return await recent_calls(tx, principal.user_id, page)

    async def report(self, principal: Principal, question: Question) -> tuple[Period, Report]:
        """The sums that are asked for, and of which days they are.

        Raises:
            NotFound: another user, and the caller is no admin; or no such user or session.
            Forbidden: everybody's, and the caller is no admin.
            BadInput: the period is wrong or too long, or there are too many groups.
        """
        period = self._period(question)
        filters = await self._filters(principal, question)
        async with self._database().read() as tx:
            ask = Ask(period, question.by, filters)
            return period, await read_report(tx, ask, most_groups=MOST_GROUPS)

    async def export(
        self, principal: Principal, question: Question
    ) -> tuple[Period, AsyncIterator[Sequence[Call]]]:
        """The calls of the days that are asked for, oldest first, in pages; raises as `report`.

        Each page is read by itself: a slow reader holds nothing in the database.
        """
        period = self._period(question)
        filters = await self._filters(principal, question)
        return period, self._pages(period, filters)

    async def _pages(self, period: Period, filters: Filters) -> AsyncIterator[Sequence[Call]]:
        after = None
        while True:
            async with self._database().read() as tx:
                page = await calls_after(tx, period, filters, after, _EXPORT_PAGE)
            if page:
                yield page
            if len(page) < _EXPORT_PAGE:
                return
            after = (page[-1].started_at, page[-1].id)

    def _period(self, question: Question) -> Period:
        zone = self._quotas.zone if question.zone is None else zone_of(question.zone)
        return question.words.read(self._clock.now(), zone, longest_days=LONGEST_DAYS)

    async def _filters(self, principal: Principal, question: Question) -> Filters:
        user_id = await self._user_id(principal, question)
        filters = Filters(user_id, question.model, question.factory, question.session_id)
        if question.session_id is not None:
            async with self._database().read() as tx:
                if not await owns_session(tx, question.session_id, user_id):
                    raise NotFound("There is no such session.")
        return filters

    async def _user_id(self, principal: Principal, question: Question) -> UUID | None:
        """Whose calls are meant; None: everybody's."""
        if question.everybody:
            require_admin(principal)
            return None
        if question.user is None or question.user == principal.name:
            return principal.user_id
        found = None
        if ADMIN in principal.scopes:
            async with self._database().read() as tx:
                found = await find_user(tx, question.user)
        if found is None:
            raise NotFound("There is no such user.")
        return found
