"""Changes prices while the product runs: closes what holds and begins what is to hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from callsheet.catalog.catalog_store import lock_catalog
from callsheet.catalog.fx_store import has_rate
from callsheet.catalog.price import PriceEntry, PriceList
from callsheet.catalog.price_store import Lane, booked_since, lane_of, read_prices
from callsheet.catalog.report import Change
from callsheet.catalog.seed import seed_windows
from callsheet.catalog.steps import take
from callsheet.catalog.timeline import (
    StoredPrice,
    holds_already,
    known_elsewhere,
    plan_change,
    plan_prices,
)
from callsheet.catalog.window_store import read_windows
from callsheet.db.transaction import Tx
from callsheet.kit.errors import BadInput, Conflict


async def change_price(
    tx: Tx, entry: PriceEntry, by: str, now: datetime, currency: str
) -> tuple[Change, ...]:
    """Let the entry hold from its `valid_from` on; nothing where that is charged already.

    `by` is who wants it, `currency` the accounting one.

    Raises:
        BadInput: the entry has a fault, or names a window that is not stored.
        Conflict: calls were booked since `valid_from`, there is no rate for its currency, or it
            would stand beside a price of another unit or currency.
    """
    await lock_catalog(tx)
    for place, message in entry.faults():
        field = "/".join(map(str, place))
        raise BadInput(f"{field}: {message}.", field=field)
    if entry.window is not None and entry.window not in await read_windows(tx):
        raise BadInput(f"No window is called {entry.window!r}.", field="window")
    await _check_rate(tx, entry, currency, now)
    if entry.valid_from < now and await booked_since(
        tx, entry.factory, entry.model_code, entry.valid_from
    ):
        raise Conflict(
            f"Calls of {entry.name} were booked since {entry.valid_from:%Y-%m-%d %H:%M:%S}Z; "
            "what they were charged stays. Begin the price now or later.",
            code="price_used",
        )
    stored = await read_prices(tx, [(entry.factory, entry.model_code)])
    _check_beside(entry, stored)
    rows = stored.get(lane_of(entry), [])
    steps = plan_change(entry, rows)
    if not steps and not holds_already(entry, rows):
        raise Conflict(
            f"A price of {entry.name} that calls were booked with begins at that very moment. "
            "Begin this one later.",
            code="price_used",
        )
    try:
        return tuple([await take(tx, entry, step, by) for step in steps])
    except IntegrityError as error:
        raise _refused(error) from error


async def import_prices(
    tx: Tx, prices: PriceList, by: str, now: datetime, currency: str, lead: timedelta
) -> tuple[Change, ...]:
    """Let the stored time lines say what the list says, whoever entered what is stored.

    As at the start: what a used row charged stays, and its successor begins `lead` after `now`
    at the earliest, where other processes need that long to hear of it. Models and windows that
    the list does not name are left alone.

    Raises:
        SetupError: a window of the list has other hours than calls were booked with.
        Conflict: a price has no rate for its currency.
    """
    await lock_catalog(tx)
    changes: list[Change] = []
    await seed_windows(tx, prices.windows, changes)
    lanes: defaultdict[Lane, list[PriceEntry]] = defaultdict(list)
    for entry in (*prices.prices, *prices.unlisted):
        await _check_rate(tx, entry, currency, now)
        lanes[lane_of(entry)].append(entry)
    stored = await read_prices(tx, [(factory, model) for factory, model, _ in lanes])
    try:
        for lane, own in lanes.items():
            rows = [replace(row, by_hand=False) for row in stored.get(lane, [])]
            if lead:
                rows = known_elsewhere(rows, now + lead)
            for step in plan_prices(own, rows, now + lead):
                changes.append(await take(tx, own[0], step, by))
    except IntegrityError as error:
        raise _refused(error) from error
    return tuple(changes)


async def _check_rate(tx: Tx, entry: PriceEntry, currency: str, now: datetime) -> None:
    moment = max(entry.valid_from, now)
    if entry.currency == currency or await has_rate(tx, entry.currency, currency, moment):
        return
    raise Conflict(
        f"{entry.name} would be priced in {entry.currency}, and no rate to {currency}, the "
        f"accounting currency, is in force then. First: callsheet prices fx set {entry.currency} "
        f"{currency} <rate>",
        code="no_rate",
    )


def _check_beside(entry: PriceEntry, stored: Mapping[Lane, Sequence[StoredPrice]]) -> None:
    """A model has one unit and one currency at a time, whatever window is open."""
    for (factory, model, window), rows in stored.items():
        is_lane = (factory, model) == (entry.factory, entry.model_code)
        if not is_lane or window == entry.window_code:
            continue
        for row in rows:
            beside = row.terms[0]
            same = (beside.currency, beside.unit) == (entry.currency, entry.unit)
            if not same and row.end > entry.valid_from:
                raise Conflict(
                    f"{entry.name} is priced per {beside.unit} in {beside.currency} in the window "
                    f"{window!r}. To change all its windows at once, write them into a file: "
                    "callsheet prices import FILE",
                    code="price_mixed",
                )


def _refused(error: IntegrityError) -> Conflict:
    """What the database's own rules say to a change that came between."""
    detail = str(error.orig).split("\n", maxsplit=1)[0].rpartition("Error'>: ")[2]
    return Conflict(f"The database refused the change: {detail}.", code="price_refused")
