"""`callsheet reprice`: what a period would cost under other prices."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo

import typer

from callsheet.cli.console import OUT, counted, note, warn
from callsheet.cli.database import open_database
from callsheet.cli.deployment import read_deployment
from callsheet.cli.output import output_stream
from callsheet.cli.periods import (
    Factory,
    First,
    Last,
    Model,
    Month,
    Session,
    User,
    Zone,
    as_options,
    read_filters,
    read_period,
    read_zone,
    session_id_of,
)
from callsheet.cli.price_list import read_price_list
from callsheet.cli.progress import progress
from callsheet.cli.table import text_table
from callsheet.kit.clock import SystemClock
from callsheet.kit.money import to_message
from callsheet.ledger.price.store import load_price_table
from callsheet.ledger.report.calls import count_calls
from callsheet.ledger.report.column import Column
from callsheet.ledger.report.formats import open_sheet
from callsheet.ledger.report.period import Period, day_of
from callsheet.ledger.reprice import Repriced, Repricing, book_as_of, ended_calls

app = typer.Typer(add_completion=False)

_PATIENCE_S: Final = 600.0
_INSTANT: Final = timedelta(microseconds=1)
_COLUMNS: Final = (
    Column("factory", "text"),
    Column("model", "text"),
    Column("calls", "count"),
    Column("booked", "money"),
    Column("would_cost", "money"),
    Column("difference", "money"),
    Column("percent", "money"),
    Column("no_price_calls", "count"),
    Column("no_price_booked", "money"),
    Column("unpriced_calls", "count"),
    Column("unpriced_would_cost", "money"),
)


@app.command(
    epilog="Examples:\n\n"
    "callsheet reprice --as-of 2026-12-01 --month 2026-11\n\n"
    "callsheet reprice --month 2026-11 --prices new_prices.yaml --model qwen3.5-flash\n\n"
    "Status: 0 done, 1 there is no such user, 2 an option, the file or the set-up is wrong."
)
def reprice(  # noqa: PLR0913 - each is an option
    *,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of", metavar="DAY", help="The prices that hold when this day ends. Unset: now."
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices", dir_okay=False, help="Prices of this file, in the form of llm_prices.yaml."
        ),
    ] = None,
    month: Month = None,
    first: First = None,
    last: Last = None,
    zone: Zone = None,
    user: User = None,
    model: Model = None,
    factory: Factory = None,
    session: Session = None,
    format_: Annotated[
        Literal["table", "csv", "json"],
        typer.Option("--format", help="json is one line for each model."),
    ] = "table",
    output: Annotated[
        Path | None, typer.Option("--output", dir_okay=False, help="Write into this file.")
    ] = None,
) -> None:
    """Compare what a period cost with what it would cost under other prices, by model.

    Reads alone: no call and no price is changed. Calls that are still open are left out. Tiers
    and windows are judged by each call's own size and start.
    """
    deployment = read_deployment()
    period = read_period(month, first, last, read_zone(deployment, zone))
    moment = _moment(as_of, period.zone)
    session_id = session_id_of(session)
    listed = None if prices is None else read_price_list(prices)

    async def work() -> tuple[Repriced, ...]:
        async with (
            open_database(deployment, statement_timeout_s=_PATIENCE_S) as database,
            database.read() as tx,
        ):
            filters = await read_filters(tx, user, model, factory, session_id)
            table = await load_price_table(tx)
            rows, windows = listed or (table.prices, table.windows)
            repricing = Repricing(
                book_as_of(rows, windows, table.rates, moment, deployment.settings.currency)
            )
            total = await count_calls(tx, period, filters)
            with progress("pricing calls", total) as advance:
                async for calls in ended_calls(tx, period, filters):
                    repricing.add(calls)
                    advance(len(calls))
            return repricing.models

    models = asyncio.run(work())
    with output_stream(output) as stream:
        if format_ == "table":
            shown = _table(models)
            if output is None:
                OUT.print(shown, soft_wrap=True, markup=False)
            else:
                stream.write(f"{shown}\n".encode())
        else:
            sheet = open_sheet("jsonl" if format_ == "json" else "csv", stream, _COLUMNS)
            sheet.write([_row(each) for each in models])
            sheet.close()
    _say(period, moment, models, deployment.settings.currency)


def _moment(as_of: str | None, zone: ZoneInfo) -> datetime:
    now = SystemClock().now()
    if as_of is None:
        return now
    with as_options():
        day = day_of("as-of", as_of)
    return Period(day, day, zone).end - _INSTANT


def _row(each: Repriced) -> tuple[Any, ...]:
    return (
        each.factory,
        each.model_code,
        each.calls,
        each.booked,
        each.would,
        each.difference,
        each.percent,
        each.without,
        each.without_booked,
        each.unpriced,
        each.unpriced_would,
    )


def _table(models: Sequence[Repriced]) -> str:
    rows = [_row(each) for each in models]
    if rows:
        whole = Repriced("total", "")
        for each in models:
            whole.calls += each.calls
            whole.booked += each.booked
            whole.would += each.would
            whole.without += each.without
            whole.without_booked += each.without_booked
            whole.unpriced += each.unpriced
            whole.unpriced_would += each.unpriced_would
        rows.append(_row(whole))
    shown = [
        [
            to_message(value) if isinstance(value, Decimal) and column.name != "percent" else value
            for column, value in zip(_COLUMNS, row, strict=True)
        ]
        for row in rows
    ]
    return text_table([column.name for column in _COLUMNS], shown)


def _say(period: Period, moment: datetime, models: Sequence[Repriced], currency: str) -> None:
    calls = sum(each.calls for each in models)
    difference = sum((each.difference for each in models), Decimal(0))
    note(
        f"{period}: {counted(calls, 'call')} under the prices of "
        f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC, "
        f"{to_message(difference):+f} {currency}"
    )
    if without := sum(each.without for each in models):
        warn(f"without a price there: {counted(without, 'call')}; what it would cost is in no sum")
