"""Makes the tables say what the seed files say; doing it again changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from sqlalchemy import text

from callsheet.catalog.catalog import Catalog, FactoryEntry
from callsheet.catalog.catalog_store import (
    FactoryRow,
    LlmRow,
    add_factory,
    add_llm,
    change_factory,
    move_llm,
    read_factories,
    read_llms,
)
from callsheet.catalog.files import Seeds
from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_store import (
    add_price,
    close_price,
    drop_price,
    mark_price,
    read_prices,
)
from callsheet.catalog.report import Change, SeedReport
from callsheet.catalog.timeline import AddPrice, ClosePrice, DropPrice, MarkPrice, Step, plan_prices
from callsheet.db.transaction import Database, Tx
from callsheet.kit.clock import Clock

_LOCK: Final = 0x63616C6C_73656564  # one process seeds at a time


async def seed(database: Database, seeds: Seeds, clock: Clock) -> SeedReport:
    """Bring factories, models and prices in line with the files, in one transaction.

    The file wins over the table, and the difference is reported. A row that was soft-deleted by
    hand stays deleted. Rows that the files do not name stay as they are.
    """
    async with database.transaction() as tx:
        await tx.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        changes: list[Change] = []
        factories, llms = await read_factories(tx), await read_llms(tx)
        factory_ids = await _seed_factories(tx, seeds.catalog, factories, changes)
        await _seed_llms(tx, seeds.catalog, factory_ids, llms, changes)
        await _seed_prices(tx, seeds.entries, clock, changes)
    gone = [e.name for e in seeds.catalog.factories if _is_gone(factories, e.name)]
    gone += [e.model_code for e in seeds.catalog.llms if _is_gone(llms, e.model_code)]
    return SeedReport(tuple(changes), left_deleted=tuple(gone))


def _is_gone(stored: Mapping[str, FactoryRow] | Mapping[str, LlmRow], name: str) -> bool:
    row = stored.get(name)
    return row is not None and row.is_deleted


async def _seed_factories(
    tx: Tx, catalog: Catalog, stored: Mapping[str, FactoryRow], changes: list[Change]
) -> Mapping[str, UUID]:
    ids = {name: row.id for name, row in stored.items()}
    for entry in catalog.factories:
        row = stored.get(entry.name)
        if row is None:
            ids[entry.name] = await add_factory(tx, entry)
            changes.append(Change("factory", entry.name, "added"))
        elif not row.is_deleted and (difference := _difference(entry, row)):
            await change_factory(tx, row.id, entry)
            changes.append(Change("factory", entry.name, "changed", difference))
    return ids


def _difference(entry: FactoryEntry, row: FactoryRow) -> str:
    parts = []
    if entry.request_url != row.request_url:
        parts.append(f"request_url {row.request_url} -> {entry.request_url}")
    if entry.avatar != row.avatar:
        parts.append(f"avatar {row.avatar} -> {entry.avatar}")
    return ", ".join(parts)


async def _seed_llms(
    tx: Tx,
    catalog: Catalog,
    factory_ids: Mapping[str, UUID],
    stored: Mapping[str, LlmRow],
    changes: list[Change],
) -> None:
    names = {id_: name for name, id_ in factory_ids.items()}
    for entry in catalog.llms:
        row, owner = stored.get(entry.model_code), factory_ids[entry.factory_id]
        if row is None:
            await add_llm(tx, entry.model_code, owner)
            changes.append(Change("model", entry.model_code, "added"))
        elif not row.is_deleted and row.factory_id != owner:
            await move_llm(tx, row.id, owner)
            moved = f"factory {names[row.factory_id]} -> {entry.factory_id}"
            changes.append(Change("model", entry.model_code, "changed", moved))


async def _seed_prices(
    tx: Tx, entries: tuple[PriceEntry, ...], clock: Clock, changes: list[Change]
) -> None:
    stored = await read_prices(tx)
    now = clock.now()
    for key in dict.fromkeys((entry.factory, entry.model_code) for entry in entries):
        own = [entry for entry in entries if (entry.factory, entry.model_code) == key]
        for step in plan_prices(own, stored.get(key, []), now):
            changes.append(await _take(tx, "/".join(key), step))


async def _take(tx: Tx, name: str, step: Step) -> Change:
    match step:
        case AddPrice(entry=entry, start=start):
            await add_price(tx, step)
            rates = entry.rates
            detail = (
                f"from {start:%Y-%m-%d %H:%M}Z: {rates.input_per_million} in, "
                f"{rates.cached_per_million} cached, {rates.output_per_million} out, "
                f"{rates.currency} per million tokens"
            )
            return Change("price", name, "added", detail)
        case ClosePrice(id=id_, end=end):
            await close_price(tx, id_, end)
            return Change("price", name, "closed", f"at {end:%Y-%m-%d %H:%M}Z")
        case DropPrice(id=id_):
            await drop_price(tx, id_)
            return Change("price", name, "dropped", "no call was booked with it")
        case MarkPrice(id=id_, verified=verified):
            await mark_price(tx, id_, verified=verified)
            return Change("price", name, "changed", f"verified: {str(verified).lower()}")
