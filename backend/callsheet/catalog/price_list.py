"""Price rows for people: with where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from sqlalchemy import text

from callsheet.catalog.window import Hours
from callsheet.catalog.window_store import read_windows
from callsheet.db.transaction import Read
from callsheet.kit.errors import BadInput
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor


@dataclass(frozen=True, slots=True)
class PriceRecord:
    """A row of `llm_prices`, valid from `valid_from` until just before `valid_to`; None: open."""

    id: UUID
    factory: str
    model_code: str
    currency: str
    unit: str
    window_code: str
    tier_min_input: int
    tier_max_input: int | None
    valid_from: datetime | None
    valid_to: datetime | None
    input_per_million: Decimal
    cached_per_million: Decimal
    explicit_cached_per_million: Decimal | None
    cache_write_per_million: Decimal | None
    output_per_million: Decimal
    reasoning_per_million: Decimal | None
    per_unit: Decimal | None
    source: str
    verified: bool
    created_by: str
    created_at: datetime

    def holds_at(self, moment: datetime) -> bool:
        """Whether the row is valid then; says nothing about its window."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """All rows of a model, by window, beginning and tier; and the hours of their windows."""

    factory: str
    model_code: str
    rows: tuple[PriceRecord, ...]
    windows: Mapping[str, frozenset[Hours]]


@dataclass(frozen=True, slots=True)
class PriceFilter:
    """Which rows are wanted; `at` None: of all times."""

    factory: str | None = None
    model_code: str | None = None
    at: datetime | None = None


_MOST_OF_ONE: Final = 10_000
_KEY: Final = (
    "factory, model_code, window_code, coalesce(lower(effective), '-infinity'), tier_min_input, id"
)
_ROWS: Final = text(f"""
SELECT id, factory, model_code, currency, unit, window_code, tier_min_input, tier_max_input,
       nullif(lower(effective), '-infinity') AS valid_from,
       nullif(upper(effective), 'infinity') AS valid_to, input_per_million, cached_per_million,
       explicit_cached_per_million, cache_write_per_million, output_per_million,
       reasoning_per_million, per_unit, source, verified, created_by, created_at
FROM llm_prices p
WHERE (CAST(:factory AS text) IS NULL OR factory = :factory)
  AND (CAST(:model_code AS text) IS NULL OR model_code = :model_code)
  AND (CAST(:at AS timestamptz) IS NULL OR effective @> CAST(:at AS timestamptz))
  AND (CAST(:after AS uuid) IS NULL
       OR ({_KEY}) > (SELECT {_KEY} FROM llm_prices WHERE id = :after))
ORDER BY {_KEY} LIMIT :limit
""")  # noqa: S608 - put together from constants
_MODELS: Final = text("""
SELECT f.name AS factory, l.model_code FROM llms l JOIN llm_factory f ON f.id = l.factory_id
UNION SELECT factory, model_code FROM llm_prices ORDER BY 1, 2
""")
_KNOWN: Final = text("SELECT EXISTS (SELECT FROM llm_prices WHERE id = :id)")


async def list_prices(tx: Read, wanted: PriceFilter, page: PageRequest) -> Page[PriceRecord]:
    """Rows by factory, model, window, beginning and tier."""
    after: UUID | None = None
    if page.cursor is not None:
        (after,) = decode_cursor(page.cursor, UUID)
        if not (await tx.execute(_KNOWN, {"id": after})).scalar_one():
            raise BadInput("The cursor is not one that this list gave.", field="cursor")
    values = {
        "factory": wanted.factory,
        "model_code": wanted.model_code,
        "at": wanted.at,
        "after": after,
        "limit": page.limit + 1,
    }
    found = [PriceRecord(**row._asdict()) for row in await tx.execute(_ROWS, values)]
    items = tuple(found[: page.limit])
    more = len(found) > page.limit
    return Page(items, encode_cursor(items[-1].id) if more else None)


async def known_models(tx: Read) -> list[tuple[str, str]]:
    """Factory and code of every model of the catalog, and of those that ever had a price."""
    return [(row.factory, row.model_code) for row in await tx.execute(_MODELS)]


async def prices_of(tx: Read, factory: str, model_code: str) -> ModelPrices:
    """Every row of a model; none where it never had a price."""
    page = PageRequest(limit=_MOST_OF_ONE)
    rows = (await list_prices(tx, PriceFilter(factory, model_code), page)).items
    named = {row.window_code for row in rows}
    windows = {code: spans for code, spans in (await read_windows(tx)).items() if code in named}
    return ModelPrices(factory, model_code, rows, windows)
