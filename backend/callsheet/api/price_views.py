"""Price rows as the documents that callers see."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import cast

import msgspec

from callsheet.api.price_documents import ModelPrices, Price, PriceSpan, Unit
from callsheet.catalog.price_list import ModelPrices as Found
from callsheet.catalog.price_list import PriceRecord
from callsheet.kit.money import plain


def price_view(record: PriceRecord, *, authors: bool) -> Price:
    """A row; `authors`: it may be seen who entered it."""
    return Price(
        id=record.id,
        factory=record.factory,
        model_code=record.model_code,
        currency=record.currency,
        unit=cast(Unit, record.unit),
        window=record.window_code,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        tier_min_input_tokens=record.tier_min_input,
        tier_max_input_tokens=record.tier_max_input,
        input_per_million=plain(record.input_per_million),
        cached_per_million=plain(record.cached_per_million),
        explicit_cached_per_million=_money(record.explicit_cached_per_million),
        cache_write_per_million=_money(record.cache_write_per_million),
        output_per_million=plain(record.output_per_million),
        reasoning_per_million=_money(record.reasoning_per_million),
        per_unit=_money(record.per_unit),
        source=record.source,
        verified=record.verified,
        created_by=record.created_by if authors else msgspec.UNSET,
        created_at=record.created_at,
    )


def model_prices_view(found: Found, *, authors: bool, warnings: Sequence[str] = ()) -> ModelPrices:
    """All rows of a model and the hours of their windows; `authors` as in `price_view`."""
    return ModelPrices(
        factory=found.factory,
        model_code=found.model_code,
        items=[price_view(record, authors=authors) for record in found.rows],
        windows=[
            PriceSpan(
                window=code,
                timezone=span.timezone,
                weekdays=list(span.weekdays),
                start=f"{span.start:%H:%M}",
                end=f"{span.end:%H:%M}",
            )
            for code, spans in sorted(found.windows.items())
            for span in sorted(spans, key=lambda span: (span.weekdays, span.start, span.end))
        ],
        warnings=list(warnings) or msgspec.UNSET,
    )


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else plain(amount)
