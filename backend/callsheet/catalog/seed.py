"""Makes the tables say what the seed files say; doing it again changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from callsheet.catalog.catalog import Catalog, FactoryEntry
from callsheet.catalog.catalog_store import (
    FactoryRow,
    LlmRow,
    add_factory,
    add_llm,
    change_factory,
    lock_catalog,
    move_llm,
    read_factories,
    read_llms,
)
from callsheet.catalog.files import Seeds
from callsheet.catalog.fx import FxEntry
from callsheet.catalog.fx_store import add_rate, converted_since, stored_rate
from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_store import Lane, lane_of, read_prices
from callsheet.catalog.report import Change, SeedReport
from callsheet.catalog.steps import take
from callsheet.catalog.timeline import known_elsewhere, plan_prices
from callsheet.catalog.window import Window
from callsheet.catalog.window_store import is_used, put_window, read_windows
from callsheet.db.transaction import Database, Tx
from callsheet.kit.clock import Clock
from callsheet.kit.errors import SetupError
from callsheet.kit.money import plain


async def seed(
    database: Database, seeds: Seeds, clock: Clock, lead: timedelta = timedelta(0)
) -> SeedReport:
    """Bring factories, models and prices in line with the files, in one transaction.

    The file wins over the table, and the difference is reported. A row that was soft-deleted by
    hand stays deleted. Rows that the files do not name stay as they are. A price that takes the
    place of a used one begins `lead` from now: as long as other processes need to hear of it.

    Raises:
        SetupError: the hours of a window were changed that calls were booked with, or a rate
            would begin before calls that were booked with the last one.
    """
    async with database.transaction() as tx:
        await lock_catalog(tx)
        changes: list[Change] = []
        factories, llms = await read_factories(tx), await read_llms(tx)
        factory_ids = await _seed_factories(tx, seeds.catalog, factories, changes)
        await _seed_llms(tx, seeds.catalog, factory_ids, llms, changes)
        await seed_windows(tx, seeds.prices.windows, changes)
        now = clock.now()
        await _seed_rates(tx, seeds.rates.rates, now, changes)
        await _seed_prices(tx, seeds.entries, now, lead, changes)
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


async def seed_windows(tx: Tx, windows: Sequence[Window], changes: list[Change]) -> None:
    """Store the windows, and add what changed; raises SetupError where a used one would."""
    stored = await read_windows(tx)
    for window in windows:
        before = stored.get(window.code)
        if before == window.hours:
            continue
        if before is not None and await is_used(tx, window.code):
            raise SetupError(
                f"The hours of the window {window.code!r} are others "
                "than those that calls were booked with. Leave them, give the new hours a code of "
                "their own, and begin entries with it."
            )
        await put_window(tx, window)
        changes.append(Change("window", window.code, "added" if before is None else "changed"))


async def _seed_rates(
    tx: Tx, rates: Sequence[FxEntry], now: datetime, changes: list[Change]
) -> None:
    for entry in rates:
        name = f"{entry.base}/{entry.quote} from {entry.valid_from:%Y-%m-%d %H:%M}Z"
        stored = await stored_rate(tx, entry.base, entry.quote, entry.valid_from)
        if stored is None:
            if entry.valid_from < now and await converted_since(
                tx, entry.base, entry.quote, entry.valid_from
            ):
                raise SetupError(
                    f"The rate {name} of config/fx_rates.yaml would begin before calls that were "
                    "booked with another one. Give it a date that is yet to come."
                )
            await add_rate(tx, entry)
            changes.append(Change("rate", name, "added", plain(entry.rate)))
        elif stored != entry.rate:
            detail = f"{plain(stored)}, the file says {plain(entry.rate)}: give it a new date"
            changes.append(Change("rate", name, "kept", detail))


async def _seed_prices(
    tx: Tx,
    entries: Sequence[PriceEntry],
    now: datetime,
    lead: timedelta,
    changes: list[Change],
) -> None:
    stored = await read_prices(tx)
    lanes: defaultdict[Lane, list[PriceEntry]] = defaultdict(list)
    for entry in entries:
        lanes[lane_of(entry)].append(entry)
    for lane, own in lanes.items():
        rows = stored.get(lane, [])
        if lead:
            rows = known_elsewhere(rows, now + lead)
        for step in plan_prices(own, rows, now + lead):
            changes.append(await take(tx, own[0], step))
