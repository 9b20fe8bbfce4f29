from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from sqlalchemy import func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from callsheet.catalog.files import Seeds
from callsheet.catalog.report import SeedReport
from callsheet.db.tables.llm import Llm
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.tables.llm_factory import LlmFactory
from callsheet.db.tables.llm_price import LlmPrice
from callsheet.db.tables.user import User
from callsheet.db.transaction import Database
from tests.catalog.seeding import SEEDS, run, texts
from tests.fixtures.booked import change


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


async def test_a_price_that_was_announced_can_be_overtaken_but_not_what_was_booked(
    database: Database,
) -> None:
    await run(database)
    await book_a_call(database, "qwen3.5-flash")
    close = "UPDATE llm_prices SET effective = tstzrange(lower(effective), {}) {}"
    of_model = "WHERE model_code = 'qwen3.5-flash'"
    await change(database, close.format("now() + interval '30 days'", of_model), {})
    await change(database, close.format("now() + interval '1 day'", of_model), {})
    for moment in ("now() + interval '2 days'", "NULL", "now() - interval '2 hours'"):
        with pytest.raises(DBAPIError, match="close it and add a new one"):
            await change(database, close.format(moment, of_model), {})
