"""Records of usage as the documents that callers see."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, cast
from uuid import UUID

import msgspec

from callsheet.agui.show import ShowOptions
from callsheet.api.usage_documents import (
    LimitLeft,
    Spending,
    UsageCall,
    UsageCallPage,
    UsageGroup,
    UsagePeriod,
    UsageReport,
    UsageSums,
    UsageToday,
)
from callsheet.kit.money import plain
from callsheet.kit.pages import Page
from callsheet.ledger.report.calls import CALL_COLUMNS, Call
from callsheet.ledger.report.column import Column, Row
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.sums import COLUMNS, Group, Report
from callsheet.ledger.report.today import Span, Today

_MONEY: Final = frozenset(
    {
        "cost", "estimated_cost", "reserved_cost", "cost_native", "fx_rate", "price_id",
        "price_currency", "currency",
    }
)  # fmt: skip
_MODELS: Final = frozenset({"factory", "model", "response_model", "upstream_id", "price_id"})


def today_view(today: Today, show: ShowOptions) -> UsageToday:
    """The caller's day and month."""
    return UsageToday(
        zone=today.zone.key,
        day=_spending(today.day, show),
        month=_spending(today.month, show),
        limits=[
            LimitLeft(
                scope=each.scope,
                measure=each.measure,
                limit=plain(each.limit),
                used=plain(each.used),
                reserved=plain(each.held),
                left=plain(each.left),
                resets_at=each.resets_at,
            )
            for each in today.limits
            if show.costs or each.measure != "cost"
        ],
        currency=today.currency if show.costs else msgspec.UNSET,
    )


def call_view(call: Call, show: ShowOptions) -> UsageCall:
    """One call of the caller's own."""
    return UsageCall(
        id=UUID(call.id),
        started_at=call.started_at,
        settled_at=call.settled_at,
        session_id=_uuid(call.session_id),
        run_id=_uuid(call.run_id),
        message_id=_uuid(call.message_id),
        workflow=call.workflow,
        purpose=call.purpose,
        stage=call.stage,
        agent=call.agent,
        tool=call.tool,
        attempt=call.attempt,
        status=cast(Any, call.status),
        estimated=call.usage_source == "estimated",
        unpriced=call.unpriced,
        input_tokens=call.input_tokens,
        cached_tokens=call.cached_tokens,
        cache_write_tokens=call.cache_write_tokens,
        output_tokens=call.output_tokens,
        reasoning_tokens=call.reasoning_tokens,
        provider=call.factory if show.models else msgspec.UNSET,
        model=call.model if show.models else msgspec.UNSET,
        cost=_known(call.cost) if show.costs else msgspec.UNSET,
        reserved_cost=plain(call.reserved_cost) if show.costs else msgspec.UNSET,
        currency=call.currency if show.costs else msgspec.UNSET,
    )


def call_page(page: Page[Call], show: ShowOptions) -> UsageCallPage:
    """A page of calls."""
    items = [call_view(call, show) for call in page.items]
    return UsageCallPage(items=items, next_cursor=page.next_cursor)


def report_view(report: Report, period: Period, show: ShowOptions) -> UsageReport:
    """A report; its columns are named as everywhere in the API (`provider` is the factory)."""
    names = ["provider" if column.name == "factory" else column.name for column in report.keys]
    return UsageReport(
        period=UsagePeriod(first=period.first, last=period.last, zone=period.zone.key),
        items=[
            UsageGroup(**dict(zip(names, group.keys, strict=True)), **_sums(group, show))
            for group in report.groups
        ],
        totals=[UsageSums(**_sums(total, show)) for total in report.totals],
    )


def shown_columns(show: ShowOptions) -> tuple[Column, ...]:
    """The columns of an export that its reader may see."""
    hidden = (frozenset() if show.costs else _MONEY) | (frozenset() if show.models else _MODELS)
    return tuple(column for column in CALL_COLUMNS if column.name not in hidden)


def shown_rows(calls: Sequence[Call], columns: Sequence[Column]) -> list[Row]:
    """The calls as rows of these columns."""
    return [tuple(getattr(call, column.name) for column in columns) for call in calls]


def _spending(span: Span, show: ShowOptions) -> Spending:
    spent = span.spent
    return Spending(
        start=span.start,
        end=span.end,
        calls=spent.calls,
        tokens=spent.tokens,
        reserved_tokens=spent.held_tokens,
        cost=plain(spent.cost) if show.costs else msgspec.UNSET,
        reserved_cost=plain(spent.held_cost) if show.costs else msgspec.UNSET,
    )


def _sums(group: Group, show: ShowOptions) -> dict[str, Any]:
    named = {"currency": group.currency}
    named |= {
        column.name: plain(value)
        if isinstance(value, Decimal) and column.kind == "money"
        else value
        for column, value in zip(COLUMNS, group.sums.values, strict=True)
    }
    return {name: value for name, value in named.items() if show.costs or name not in _MONEY}


def _known(amount: Decimal | None) -> str | None:
    return None if amount is None else plain(amount)


def _uuid(text: str | None) -> UUID | None:
    return None if text is None else UUID(text)
