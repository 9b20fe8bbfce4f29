from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from callsheet.catalog.files import Seeds, load_seeds
from callsheet.catalog.report import SeedReport
from callsheet.catalog.seed import seed
from callsheet.db.tables.llm import Llm
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.tables.llm_factory import LlmFactory
from callsheet.db.tables.llm_price import LlmPrice
from callsheet.db.tables.user import User
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import SetupError
from callsheet.kit.places import shipped

SEEDS = load_seeds(shipped("config") / "llm_catalog.yaml", shipped("config") / "llm_prices.yaml")


async def run(database: Database, seeds: Seeds = SEEDS) -> SeedReport:
    return await seed(database, seeds, SystemClock())


def texts(report: SeedReport) -> list[str]:
    return [str(change) for change in report.changes]


async def count(database: Database, table: type[LlmFactory | Llm | LlmPrice]) -> int:
    async with database.read() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar_one()


def with_input_price(price: str) -> Seeds:
    first, *others = SEEDS.prices.prices
    changed = first.model_copy(update={"input_per_million": Decimal(price)})
    prices = SEEDS.prices.model_copy(update={"prices": (changed, *others)})
    return Seeds(SEEDS.catalog, prices)


async def book_a_call(database: Database, model_code: str) -> None:
    """A ledger row that was charged with the price of `model_code` an hour ago."""
    async with database.transaction() as tx:
        user = (await tx.execute(insert(User).values(name="ada").returning(User.id))).scalar_one()
        price = await tx.execute(select(LlmPrice.id).where(LlmPrice.model_code == model_code))
        await tx.execute(
            insert(LlmCall).values(
                idempotency_key=str(uuid4()),
                user_id=user,
                purpose="title",
                factory="qwen",
                model_code=model_code,
                price_id=price.scalar_one(),
                price_currency="USD",
                currency="USD",
                started_at=datetime.now(UTC) - timedelta(hours=1),
            )
        )


async def test_the_first_run_fills_the_tables_and_the_second_changes_nothing(
    database: Database,
) -> None:
    report = await run(database)
    kinds = [(change.kind, change.action) for change in report.changes]
    assert kinds == [("factory", "added")] * 6 + [("model", "added")] * 2 + [("price", "added")] * 4
    async with database.read() as connection:
        rows = await connection.execute(
            select(Llm.model_code, LlmFactory.name, LlmFactory.avatar)
            .join(LlmFactory, LlmFactory.id == Llm.factory_id)
            .order_by(Llm.model_code)
        )
        assert [tuple(row) for row in rows] == [
            ("deepseek-v3.2", "deepseek", "https://cdn.simpleicons.org/deepseek/4D6BFE"),
            ("qwen3.5-flash", "qwen", "https://cdn.simpleicons.org/alibabacloud/FF6A00"),
        ]
    assert await run(database) == SeedReport()


async def test_processes_that_start_together_seed_once(database: Database) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(database)) for _ in range(4)]
    assert sorted(len(task.result().changes) for task in tasks) == [0, 0, 0, 12]
    assert await count(database, LlmFactory) == 6
    assert await count(database, LlmPrice) == 4


async def test_the_files_address_wins_over_the_tables_and_is_reported(database: Database) -> None:
    await run(database)
    async with database.transaction() as tx:
        await tx.execute(
            update(LlmFactory)
            .where(LlmFactory.name == "zai")
            .values(request_url="https://old.example/v1", avatar=None)
        )
    assert texts(await run(database)) == [
        "factory zai: changed (request_url https://old.example/v1 -> https://api.z.ai/v1, "
        "avatar None -> https://cdn.simpleicons.org/zotero/CC2936)"
    ]
    assert await run(database) == SeedReport()


async def test_what_was_deleted_by_hand_stays_deleted(database: Database) -> None:
    await run(database)
    async with database.transaction() as tx:
        gone = {"deleted_at": datetime.now(UTC)}
        await tx.execute(
            update(LlmFactory)
            .where(LlmFactory.name == "kimi")
            .values(request_url="https://x.example", **gone)
        )
        await tx.execute(update(Llm).where(Llm.model_code == "deepseek-v3.2").values(**gone))
    assert await run(database) == SeedReport(left_deleted=("kimi", "deepseek-v3.2"))
    async with database.read() as connection:
        deleted = await connection.scalars(
            select(LlmFactory.request_url).where(LlmFactory.deleted_at.is_not(None))
        )
        assert list(deleted) == ["https://x.example"]


async def test_a_model_moves_to_the_factory_that_the_file_names(database: Database) -> None:
    await run(database)
    async with database.transaction() as tx:
        kimi = select(LlmFactory.id).where(LlmFactory.name == "kimi").scalar_subquery()
        await tx.execute(
            update(Llm).where(Llm.model_code == "qwen3.5-flash").values(factory_id=kimi)
        )
    assert texts(await run(database)) == ["model qwen3.5-flash: changed (factory kimi -> qwen)"]


async def test_an_unused_price_is_replaced(database: Database) -> None:
    await run(database)
    report = await run(database, with_input_price("0.2"))
    assert texts(report) == [
        "price qwen/qwen3.5-flash: dropped (no call was booked with it)",
        "price qwen/qwen3.5-flash: added (from 2026-01-01 00:00Z: 0.2 in, 0.02 cached, 0.4 out, "
        "USD per million tokens)",
    ]
    assert await run(database, with_input_price("0.2")) == SeedReport()
    assert await count(database, LlmPrice) == 4


async def test_a_used_price_is_closed_and_a_new_one_begins_where_it_ends(
    database: Database,
) -> None:
    await run(database)
    await book_a_call(database, "qwen3.5-flash")
    report = await run(database, with_input_price("0.2"))
    assert [change.action for change in report.changes] == ["closed", "added"]
    async with database.read() as connection:
        rows = await connection.execute(
            select(LlmPrice.input_per_million, LlmPrice.effective)
            .where(LlmPrice.model_code == "qwen3.5-flash")
            .order_by(func.lower(LlmPrice.effective))
        )
        old, new = rows.all()
    assert (old.input_per_million, new.input_per_million) == (Decimal("0.1"), Decimal("0.2"))
    assert old.effective.lower == datetime(2026, 1, 1, tzinfo=UTC)
    assert old.effective.upper == new.effective.lower
    assert new.effective.upper is None
    assert await run(database, with_input_price("0.2")) == SeedReport()


async def test_a_used_price_can_be_marked_as_verified(database: Database) -> None:
    await run(database)
    await book_a_call(database, "qwen3.5-flash")
    first, *others = SEEDS.prices.prices
    checked = (first.model_copy(update={"verified": True}), *others)
    seeds = Seeds(SEEDS.catalog, SEEDS.prices.model_copy(update={"prices": checked}))
    assert texts(await run(database, seeds)) == [
        "price qwen/qwen3.5-flash: changed (verified: true)"
    ]
    assert await run(database, seeds) == SeedReport()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE llm_prices SET input_per_million = 9 WHERE model_code = 'qwen3.5-flash'",
        "UPDATE llm_prices SET currency = 'CNY' WHERE model_code = 'qwen3.5-flash'",
        "UPDATE llm_prices SET effective = '[2025-01-01,)' WHERE model_code = 'qwen3.5-flash'",
        "DELETE FROM llm_prices WHERE model_code = 'qwen3.5-flash'",
    ],
)
async def test_the_database_refuses_to_change_a_used_price(database: Database, change: str) -> None:
    await run(database)
    async with database.transaction() as tx:
        await tx.execute(text(change.replace("qwen3.5-flash", "deepseek-v3.2")))  # not used: fine
    await book_a_call(database, "qwen3.5-flash")

    async def apply() -> None:
        async with database.transaction() as tx:
            await tx.execute(text(change))

    with pytest.raises(DBAPIError, match="close it and add a new one"):
        await apply()


async def test_a_closed_price_stays_closed_where_it_was(database: Database) -> None:
    await run(database)
    await book_a_call(database, "qwen3.5-flash")
    await run(database, with_input_price("0.2"))

    async def reopen() -> None:
        async with database.transaction() as tx:
            await tx.execute(
                text(
                    "UPDATE llm_prices SET effective = tstzrange(lower(effective), "
                    "upper(effective) - interval '1 day') WHERE input_per_million = 0.1"
                )
            )

    with pytest.raises(DBAPIError, match="close it and add a new one"):
        await reopen()


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


async def test_a_price_that_was_announced_can_be_overtaken_but_not_what_was_booked(
    database: Database,
) -> None:
    await run(database)
    await book_a_call(database, "qwen3.5-flash")
    close = "UPDATE llm_prices SET effective = tstzrange(lower(effective), {}) {}"
    of_model = "WHERE model_code = 'qwen3.5-flash'"
    await execute(database, close.format("now() + interval '30 days'", of_model))
    await execute(database, close.format("now() + interval '1 day'", of_model))
    for moment in ("now() + interval '2 days'", "NULL", "now() - interval '2 hours'"):
        with pytest.raises(DBAPIError, match="close it and add a new one"):
            await execute(database, close.format(moment, of_model))


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
