"""Usage of one call, and the billing of one model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from callsheet.auth.principal import Principal
from callsheet.kit.pages import Page, PageRequest
from callsheet.ledger.budget.standing import Spent
from callsheet.ledger.report.ask import Question
from callsheet.ledger.report.calls import Call
from callsheet.ledger.report.column import Column
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.sums import Group, Report, Sums
from callsheet.ledger.report.today import Left, Span, Today
from tests.api.fake_records import NOW

UTC_ZONE = ZoneInfo("UTC")
DAY = Period(date(2026, 11, 30), date(2026, 11, 30), UTC_ZONE)
CALL = Call(
    id=str(UUID(int=1)),
    started_at=NOW,
    settled_at=NOW,
    user="alice",
    session_id=str(UUID(int=2)),
    run_id=None,
    message_id=None,
    workflow="chat",
    purpose="answer",
    stage="execution",
    agent="worker",
    tool=None,
    attempt=1,
    factory="qwen",
    model="qwen3.5-flash",
    response_model=None,
    upstream_id="up-1",
    status="settled",
    usage_source="provider",
    usage_method=None,
    unpriced=False,
    input_tokens=1000,
    cached_tokens=200,
    cache_write_tokens=0,
    output_tokens=500,
    reasoning_tokens=0,
    cache_type=None,
    units=Decimal(0),
    price_id=None,
    price_currency="USD",
    cost_native=Decimal("0.00200"),
    fx_rate=Decimal(1),
    cost=Decimal("0.00200"),
    currency="USD",
    reserved_cost=Decimal(0),
    error_code=None,
)


class FakeUsage:
    """The same answer to every question."""

    async def today(self, principal: Principal) -> Today:
        """As the port says."""
        span = Span(DAY.start, DAY.end, Spent(1, 1500, Decimal("0.002"), 10, Decimal("0.5")))
        left = Left(
            "user_day", "cost", Decimal(2), Decimal("0.002"), Decimal("0.5"), resets_at=DAY.end
        )
        return Today(UTC_ZONE, "USD", span, span, (left,))

    async def recent(self, principal: Principal, page: PageRequest) -> Page[Call]:
        """As the port says."""
        return Page((CALL,))

    async def report(self, principal: Principal, question: Question) -> tuple[Period, Report]:
        """As the port says."""
        sums = Sums(calls=1, input_tokens=1000, cost=Decimal("0.002"))
        keys = (Column("day", "day"), Column("factory", "text"), Column("model", "text"))
        group = Group((DAY.first, "qwen", "qwen3.5-flash"), "USD", sums)
        return DAY, Report(keys, (group,))

    async def export(
        self, principal: Principal, question: Question
    ) -> tuple[Period, AsyncIterator[Sequence[Call]]]:
        """As the port says."""

        async def pages() -> AsyncIterator[Sequence[Call]]:
            yield (CALL,)

        return DAY, pages()
