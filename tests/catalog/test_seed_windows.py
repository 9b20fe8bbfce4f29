"""Tiers, windows, prices per unit and rates are stored as the files say, and used ones stay."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from callsheet.catalog.files import Seeds, load_seeds
from callsheet.catalog.report import SeedReport
from callsheet.catalog.seed import seed
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import SetupError
from callsheet.kit.places import shipped
from tests.catalog.seeding import run, texts

WINDOWED = """\
windows:
  - {code: night, timezone: Asia/Shanghai, spans: [{from: 00:30, to: 08:30}]}
prices:
  - &plain
    factory: qwen
    model_code: qwen3.5-flash
    currency: CNY
    valid_from: 2026-01-01T00:00:00Z
    source: a list
    tiers:
      - {up_to_input_tokens: 32000, input_per_million: 1, cached_per_million: 0.2,
         output_per_million: 4}
      - {input_per_million: 2, cached_per_million: 0.4, output_per_million: 8}
  - {<<: *plain, window: night, tiers: [
      {input_per_million: 0.5, cached_per_million: 0.1, output_per_million: 2}]}
unlisted:
  - {factory: qwen, model_code: asr, currency: CNY, valid_from: 2026-01-01T00:00:00Z,
     source: a list, unit: second, per_unit: 0.00033}
"""
RATES = (
    "rates: [{base: CNY, quote: USD, rate: 0.1389, valid_from: 2026-01-01T00:00:00Z, source: b}]"
)


def windowed(tmp_path: Path, old: str = "", new: str = "", rates: str = RATES) -> Seeds:
    assert old in WINDOWED
    (tmp_path / "p.yaml").write_text(WINDOWED.replace(old, new))
    (tmp_path / "fx.yaml").write_text(rates)
    catalog = shipped("config") / "llm_catalog.yaml"
    return load_seeds(catalog, tmp_path / "p.yaml", tmp_path / "fx.yaml")


async def test_tiers_windows_units_and_rates_are_stored_and_stay(
    database: Database, tmp_path: Path
) -> None:
    report = await run(database, windowed(tmp_path))
    assert [text for text in texts(report) if not text.startswith(("factory", "model"))] == [
        "window night: added",
        "rate CNY/USD from 2026-01-01 00:00Z: added (0.1389)",
        "price qwen/qwen3.5-flash: added (from 2026-01-01 00:00Z: up to 32000: 1 in, 0.2 cached, "
        "4 out, CNY per million tokens; over 32000: 2 in, 0.4 cached, 8 out, "
        "CNY per million tokens)",
        "price qwen/qwen3.5-flash (night): added (from 2026-01-01 00:00Z: 0.5 in, 0.1 cached, "
        "2 out, CNY per million tokens)",
        "price qwen/asr: added (from 2026-01-01 00:00Z: 0.00033 CNY per second)",
    ]
    assert await run(database, windowed(tmp_path)) == SeedReport()
    assert await rows_of(
        database,
        "SELECT model_code, window_code, tier_min_input, tier_max_input, input_per_million, "
        "per_unit FROM llm_prices ORDER BY 1, 2, 3",
    ) == [
        ("asr", "any", 0, None, 0, Decimal("0.00033")),
        ("qwen3.5-flash", "any", 0, 32_000, 1, None),
        ("qwen3.5-flash", "any", 32_000, None, 2, None),
        ("qwen3.5-flash", "night", 0, None, Decimal("0.5"), None),
    ]
    assert await rows_of(database, "SELECT * FROM (SELECT code, timezone, weekdays FROM "
        "price_windows) w") == [("night", "Asia/Shanghai", [1, 2, 3, 4, 5, 6, 7])]  # fmt: skip


async def test_a_used_tier_closes_all_tiers_of_its_price_and_leaves_the_windows(
    database: Database, tmp_path: Path
) -> None:
    await run(database, windowed(tmp_path))
    await book_with(database, "tier_min_input = 32000")
    report = await run(
        database, windowed(tmp_path, "output_per_million: 8", "output_per_million: 9")
    )
    assert [str(change)[:37] for change in report.changes] == [
        "price qwen/qwen3.5-flash: closed (at ",
        "price qwen/qwen3.5-flash: added (from",
    ]
    ended = "SELECT count(*) FROM llm_prices WHERE upper(effective) IS NOT NULL AND window_code = "
    assert await rows_of(database, f"{ended} 'any'") == [(2,)]
    assert await rows_of(database, f"{ended} 'night'") == [(0,)]


async def test_an_unused_windows_hours_can_be_edited_and_a_used_ones_not(
    database: Database, tmp_path: Path
) -> None:
    await run(database, windowed(tmp_path))
    later = windowed(tmp_path, "08:30", "09:30")
    assert texts(await run(database, later)) == ["window night: changed"]
    await book_with(database, "window_code = 'night'")
    with pytest.raises(SetupError, match=r"window 'night'.*a code of their own"):
        await run(database, windowed(tmp_path))
    assert await run(database, later) == SeedReport()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE price_windows SET to_time = '09:00' WHERE code = 'night'",
        "UPDATE price_windows SET code = 'day' WHERE code = 'night'",
        "UPDATE price_windows SET code = 'night' WHERE code = 'other'",
        "DELETE FROM price_windows WHERE code = 'night'",
        "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
        "VALUES ('night', 'UTC', '{1}', '10:00', '11:00')",
    ],
)
async def test_the_database_refuses_to_change_a_used_window(
    database: Database, tmp_path: Path, change: str
) -> None:
    await run(database, windowed(tmp_path))
    await execute(database, "INSERT INTO price_windows (code, timezone, weekdays, from_time, "
        "to_time) VALUES ('other', 'UTC', '{1}', '10:00', '11:00')")  # fmt: skip
    await book_with(database, "window_code = 'night'")
    await execute(database, "UPDATE price_windows SET to_time = '12:00' WHERE code = 'other'")
    with pytest.raises(DBAPIError, match="make one with another code"):
        await execute(database, change)


@pytest.mark.parametrize(
    "overlap",
    [
        "tier_max_input = 32001 WHERE tier_max_input = 32000",
        "tier_min_input = 31999 WHERE tier_min_input = 32000",
        "window_code = 'any' WHERE window_code = 'night'",
        "model_code = 'qwen3.5-flash', unit = 'token', per_unit = NULL, window_code = 'night' "
        "WHERE model_code = 'asr'",
    ],
)
async def test_the_database_refuses_prices_that_overlap(
    database: Database, tmp_path: Path, overlap: str
) -> None:
    await run(database, windowed(tmp_path))
    with pytest.raises(DBAPIError, match="ex_llm_prices_overlap"):
        await execute(database, f"UPDATE llm_prices SET {overlap}")


async def test_a_rate_is_kept_as_it_was_and_the_difference_is_told(
    database: Database, tmp_path: Path
) -> None:
    await run(database, windowed(tmp_path))
    other = windowed(tmp_path, rates=RATES.replace("0.1389", "0.14"))
    assert texts(await run(database, other)) == [
        "rate CNY/USD from 2026-01-01 00:00Z: kept (0.1389, the file says 0.14: give it a new date)"
    ]
    dated = windowed(tmp_path, rates=RATES.replace("0.1389", "0.14").replace("-01-01", "-02-01"))
    assert texts(await run(database, dated)) == [
        "rate CNY/USD from 2026-02-01 00:00Z: added (0.14)"
    ]


async def test_a_rate_does_not_begin_before_calls_that_were_booked_with_another(
    database: Database, tmp_path: Path
) -> None:
    await run(database, windowed(tmp_path))
    await book_with(database, "window_code = 'night'")
    late = windowed(tmp_path, rates=RATES.replace("-01-01", "-02-01"))
    with pytest.raises(SetupError, match=r"CNY/USD from 2026-02-01.*yet to come"):
        await run(database, late)
    future = windowed(tmp_path, rates=RATES.replace("2026-", "2099-"))
    assert texts(await run(database, future)) == [
        "rate CNY/USD from 2099-01-01 00:00Z: added (0.1389)"
    ]


async def test_beside_other_processes_an_unused_price_is_closed_when_they_know_its_successor(
    database: Database, tmp_path: Path
) -> None:
    await run(database, windowed(tmp_path))
    seeds = windowed(tmp_path, "output_per_million: 8", "output_per_million: 9")
    report = await seed(database, seeds, SystemClock(), timedelta(seconds=10))
    assert [change.action for change in report.changes] == ["closed", "added"]
    assert await rows_of(
        database,
        "SELECT count(*) FROM llm_prices WHERE window_code = 'any' AND unit = 'token' "
        "AND lower(effective) > now() + interval '5 s'",
    ) == [(2,)]


async def execute(database: Database, statement: str) -> None:
    async with database.transaction() as tx:
        await tx.exec_driver_sql(statement)


async def rows_of(database: Database, query: str) -> list[tuple[object, ...]]:
    async with database.read() as tx:
        return [tuple(row) for row in await tx.exec_driver_sql(query)]


async def book_with(database: Database, which: str) -> None:
    """A ledger row of an hour ago that was charged with the one price that `which` finds."""
    await execute(
        database,
        "WITH who AS (INSERT INTO users (name) VALUES ('ada') RETURNING id) "
        "INSERT INTO llm_calls (idempotency_key, user_id, purpose, factory, model_code, price_id, "
        "price_currency, currency, started_at) SELECT 'k', who.id, 'title', factory, model_code, "
        f"p.id, currency, 'USD', now() - interval '1 hour' FROM llm_prices p, who WHERE {which}",
    )
