"""Price rows as text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from callsheet.catalog.price_list import PriceRecord
from callsheet.catalog.window import Hours
from callsheet.cli.table import text_table
from callsheet.kit.money import plain

_COLUMNS: Final = (
    "model",
    "from (UTC)",
    "until (UTC)",
    "window",
    "input tokens",
    "in",
    "cached",
    "out",
    "other",
    "per",
    "verified",
    "by",
    "source",
)
_DAYS: Final = ("", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def price_table(records: Iterable[PriceRecord]) -> str:
    """One line for each row."""
    return text_table(_COLUMNS, [_line(record) for record in records])


def hours_text(code: str, spans: Iterable[Hours]) -> str:
    """A window in words: 'night: Mon Tue 00:30-08:30 Asia/Shanghai'."""
    ordered = sorted(spans, key=lambda span: (span.weekdays, span.start, span.end))
    parts = [
        f"{' '.join(_DAYS[day] for day in span.weekdays)} "
        f"{span.start:%H:%M}-{span.end:%H:%M} {span.timezone}"
        for span in ordered
    ]
    return f"{code}: {'; '.join(parts)}"


def _line(record: PriceRecord) -> tuple[Any, ...]:
    is_token = record.unit == "token"
    return (
        f"{record.factory}/{record.model_code}",
        _moment(record.valid_from),
        _moment(record.valid_to),
        record.window_code,
        _size(record),
        plain(record.input_per_million if is_token else record.per_unit or Decimal(0)),
        plain(record.cached_per_million) if is_token else "",
        plain(record.output_per_million) if is_token else "",
        _other(record),
        f"{record.currency} per {'million tokens' if is_token else record.unit}",
        "yes" if record.verified else "no",
        record.created_by,
        record.source,
    )


def _size(record: PriceRecord) -> str:
    if record.tier_max_input is None:
        return f"over {record.tier_min_input}" if record.tier_min_input else "any"
    return f"up to {record.tier_max_input}"


def _other(record: PriceRecord) -> str:
    named = (
        ("explicit cached", record.explicit_cached_per_million),
        ("cache write", record.cache_write_per_million),
        ("reasoning", record.reasoning_per_million),
    )
    return ", ".join(f"{name} {plain(value)}" for name, value in named if value is not None)


def _moment(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"
