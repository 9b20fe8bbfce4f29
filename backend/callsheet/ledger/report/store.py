"""The SQL of reports."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.kit.errors import BadInput
from callsheet.ledger.report.ask import Ask, Dimension, Filters
from callsheet.ledger.report.column import Column
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.sums import Group, Report, Sums

MOST_GROUPS: Final = 100_000

_KEYS: Final[dict[Dimension, tuple[tuple[Column, str], ...]]] = {
    "day": ((Column("day", "day"), "(c.started_at AT TIME ZONE :zone)::date"),),
    "model": ((Column("factory", "text"), "c.factory"), (Column("model", "text"), "c.model_code")),
    "user": ((Column("user", "text"), "u.name"),),
    "stage": ((Column("stage", "text"), "c.stage"),),
    "agent": ((Column("agent", "text"), "c.agent"),),
    "tool": ((Column("tool", "text"), "c.tool"),),
    "purpose": ((Column("purpose", "text"), "c.purpose"),),
    "session": ((Column("session_id", "text"), "c.session_id::text"),),
    "workflow": ((Column("workflow", "text"), "r.workflow"),),
}
_JOINS: Final[dict[Dimension, str]] = {
    "user": "JOIN users u ON u.id = c.user_id",
    "workflow": "LEFT JOIN runs r ON r.id = c.run_id",
}
_SUMS: Final = """
       count(*) AS calls,
       sum(c.input_tokens) AS input_tokens,
       sum(c.cached_tokens) AS cached_tokens,
       sum(c.cache_write_tokens) AS cache_write_tokens,
       sum(c.output_tokens) AS output_tokens,
       sum(c.reasoning_tokens) AS reasoning_tokens,
       sum(c.cost_exact) AS cost,
       count(*) FILTER (WHERE c.usage_source = 'estimated') AS estimated_calls,
       coalesce(sum(c.cost_exact) FILTER (WHERE c.usage_source = 'estimated'), 0)
         AS estimated_cost,
       count(*) FILTER (WHERE c.unpriced) AS unpriced_calls,
       coalesce(sum(c.input_tokens + c.output_tokens) FILTER (WHERE c.unpriced), 0)
         AS unpriced_tokens,
       count(*) FILTER (WHERE c.status = 'open') AS open_calls,
       coalesce(sum(c.reserved_cost) FILTER (WHERE c.status = 'open'), 0) AS reserved_cost"""
_CONDITIONS: Final = {
    "user_id": "c.user_id = :user_id",
    "model": "c.model_code = :model",
    "factory": "c.factory = :factory",
    "session_id": "c.session_id = :session_id",
}
_CORRECTIONS: Final = """
SELECT a.currency, sum(a.amount) AS amount
FROM cost_adjustments a
LEFT JOIN llm_calls c ON c.id = a.call_id
WHERE coalesce((c.started_at AT TIME ZONE :zone)::date, a.day) BETWEEN :first AND :last
  AND (CAST(:model AS text) IS NULL OR coalesce(c.model_code, a.model_code) = :model)
  AND (CAST(:factory AS text) IS NULL OR a.factory = :factory)
GROUP BY a.currency
ORDER BY a.currency
"""
_USER: Final = text("SELECT id FROM users WHERE name = :name")
_OWNER: Final = text("SELECT user_id FROM sessions WHERE id = :id")


async def read_report(tx: Read, ask: Ask, *, most_groups: int = MOST_GROUPS) -> Report:
    """The sums of the period.

    Raises:
        BadInput: more than `most_groups` groups (field `by`).
    """
    keys = [key for dimension in ask.by for key in _KEYS[dimension]]
    values = {**chosen(ask.period, ask.filters), "limit": most_groups + 1}
    if "day" in ask.by:
        values["zone"] = ask.period.zone.key
    found = (await tx.execute(text(_statement(ask, [sql for _, sql in keys])), values)).all()
    if len(found) > most_groups:
        raise BadInput(
            f"The report has more than {most_groups} rows; take a shorter period or fewer groups.",
            field="by",
        )
    width = len(keys)
    groups = tuple(Group(tuple(row[:width]), row[width], Sums(*row[width + 1 :])) for row in found)
    corrections = None
    if ask.filters.user_id is None and ask.filters.session_id is None:
        corrections = await _corrections(tx, ask.period, ask.filters)
    return Report(tuple(column for column, _ in keys), groups, corrections)


async def find_user(tx: Read, name: str) -> UUID | None:
    """The id of the user of that name."""
    found: UUID | None = (await tx.execute(_USER, {"name": name})).scalar()
    return found


async def owns_session(tx: Read, session_id: UUID, user_id: UUID | None) -> bool:
    """Whether the session is the user's, deleted or not (None: anybody's)."""
    owner = (await tx.execute(_OWNER, {"id": session_id})).scalar()
    return owner is not None and user_id in (owner, None)


def chosen(period: Period, filters: Filters) -> dict[str, Any]:
    """The values of `where`."""
    values = {name: getattr(filters, name) for name in _CONDITIONS}
    used = {name: value for name, value in values.items() if value is not None}
    return {"start": period.start, "end": period.end, **used}


def where(filters: Filters) -> str:
    """The conditions on the calls `c` of a period, for a statement with the values of `chosen`."""
    named = [sql for name, sql in _CONDITIONS.items() if getattr(filters, name) is not None]
    return " AND ".join(["c.started_at >= :start", "c.started_at < :end", *named])


def _statement(ask: Ask, keys: list[str]) -> str:
    """Made of the constants above alone; what a caller wrote is a value."""
    width = len(keys) + 1
    places = ", ".join(str(place) for place in range(1, width + 1))
    joins = "\n".join(_JOINS[dimension] for dimension in ask.by if dimension in _JOINS)
    return f"""
SELECT {"".join(f"{key}, " for key in keys)}c.currency,{_SUMS}
FROM llm_calls c
{joins}
WHERE {where(ask.filters)}
GROUP BY {places}
ORDER BY {places}
LIMIT :limit
"""  # noqa: S608


async def _corrections(
    tx: Read, period: Period, filters: Filters
) -> tuple[tuple[str, Decimal], ...]:
    values = {
        "zone": period.zone.key,
        "first": period.first,
        "last": period.last,
        "model": filters.model,
        "factory": filters.factory,
    }
    found = await tx.execute(text(_CORRECTIONS), values)
    return tuple((row.currency, row.amount) for row in found)
