"""`callsheet report`: what was spent, by whom, on what; as a table or as a file."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from callsheet.cli.console import OUT, counted, note
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
    Today,
    User,
    Zone,
    as_options,
    read_filters,
    read_period,
    read_zone,
    session_id_of,
)
from callsheet.cli.progress import progress
from callsheet.cli.table import text_table
from callsheet.db.transaction import Read
from callsheet.kit.money import to_message
from callsheet.ledger.report.ask import DIMENSIONS, Ask, Filters, read_dimensions
from callsheet.ledger.report.calls import CALL_COLUMNS, count_calls, stream_calls
from callsheet.ledger.report.column import batches
from callsheet.ledger.report.formats import FileFormat, open_sheet
from callsheet.ledger.report.json_sheet import report_json
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.store import read_report
from callsheet.ledger.report.sums import Report

app = typer.Typer(add_completion=False)

Format = Literal["table", "csv", "json", "parquet"]
_PATIENCE_S: Final = 600.0
# What a terminal has room for; the other columns are in the files.
_SHOWN: Final = (
    "calls", "input_tokens", "cached_tokens", "output_tokens", "cost", "estimated_cost",
    "unpriced_calls", "open_calls", "reserved_cost",
)  # fmt: skip


@app.command(
    epilog="Examples:\n\n"
    "callsheet report --month 2026-11 --by day,model\n\n"
    "callsheet report --today --by user,stage --zone Asia/Shanghai\n\n"
    "callsheet report --month 2026-11 --by user --format csv --output november.csv\n\n"
    "callsheet report --calls --from 2026-11-01 --format parquet --output calls.parquet\n\n"
    "Status: 0 done, 1 there is no such user, 2 an option or the set-up is wrong."
)
def report(  # noqa: PLR0913 - each is an option
    *,
    month: Month = None,
    first: First = None,
    last: Last = None,
    today: Today = False,
    zone: Zone = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help=f"Groups, comma-separated: {', '.join(DIMENSIONS)}."),
    ] = None,
    user: User = None,
    model: Model = None,
    factory: Factory = None,
    session: Session = None,
    calls: Annotated[
        bool, typer.Option("--calls", help="Every call by itself instead of sums.")
    ] = False,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="Unset: table; with --calls: csv. json of --calls is lines."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", dir_okay=False, help="Write into this file.")
    ] = None,
) -> None:
    """Add up what the ledger has for a period (unset: this month, by model).

    A call counts on the day on which it started. What is estimated, unpriced or still open has
    columns of its own: an unknown cost is never a zero in the total.
    """
    if calls and by:
        raise typer.BadParameter("has no meaning with --calls", param_hint="--by")
    kind = format_ or ("csv" if calls else "table")
    if calls and kind == "table":
        raise typer.BadParameter("of --calls is csv, json or parquet", param_hint="--format")
    if kind == "parquet" and output is None:
        raise typer.BadParameter("is needed for parquet, which is no text", param_hint="--output")
    deployment = read_deployment()
    period = read_period(month, first, last, read_zone(deployment, zone), today=today)
    with as_options():
        dimensions = read_dimensions(by or ["model"])
    session_id = session_id_of(session)

    async def work() -> None:
        async with (
            open_database(deployment, statement_timeout_s=_PATIENCE_S) as database,
            database.read() as tx,
        ):
            filters = await read_filters(tx, user, model, factory, session_id)
            if calls:
                await _export(tx, period, filters, kind, output)
            else:
                await _report(tx, Ask(period, dimensions, filters), kind, output)

    with as_options():
        asyncio.run(work())


async def _report(tx: Read, ask: Ask, kind: Format, output: Path | None) -> None:
    with progress("adding up"):
        found = await read_report(tx, ask)
    with output_stream(output) as stream:
        if kind == "json":
            stream.write(report_json(found, ask.period))
        elif kind == "table" and output is None:
            OUT.print(_table(found), soft_wrap=True, markup=False)
        elif kind == "table":
            stream.write(f"{_table(found)}\n".encode())
        else:
            sheet = open_sheet(kind, stream, found.columns)
            for rows in batches(found.rows):
                sheet.write(rows)
            sheet.close()
    note(f"{ask.period}: {_in_words(found)}")


async def _export(
    tx: Read, period: Period, filters: Filters, kind: Format, output: Path | None
) -> None:
    total = await count_calls(tx, period, filters)
    file_format: FileFormat = (
        "jsonl" if kind == "json" else "parquet" if kind == "parquet" else "csv"
    )
    with output_stream(output) as stream, progress("writing calls", total) as advance:
        sheet = open_sheet(file_format, stream, CALL_COLUMNS)
        async for rows in stream_calls(tx, period, filters):
            sheet.write(rows)
            advance(len(rows))
        sheet.close()
    note(f"{period}: {counted(total, 'call')}")


def _table(report: Report) -> str:
    """The rows and one line of totals for each currency."""
    names = [column.name for column in report.columns]
    shown = [place for place, name in enumerate(names) if place < len(report.keys)]
    shown += [names.index(name) for name in (*_SHOWN, "currency")]
    rows = [[_shown(row[place]) for place in shown] for row in report.rows]
    for group in report.totals:
        keys = ["total", *[None] * (len(report.keys) - 1)]
        whole = (*keys, group.currency, *group.sums.values)
        rows.append([_shown(whole[place]) for place in shown])
    return text_table([names[place] for place in shown], rows)


def _shown(value: Any) -> Any:
    """Money to six places; the files have all twelve."""
    return to_message(value) if isinstance(value, Decimal) else value


def _in_words(report: Report) -> str:
    """What the numbers leave open, and what bills said otherwise."""
    if not report.groups:
        return "no calls"
    parts = []
    for group in report.totals:
        sums, currency = group.sums, group.currency
        parts.append(f"{counted(sums.calls, 'call')}, {to_message(sums.cost)} {currency}")
        if sums.estimated_calls:
            parts.append(
                f"of it {to_message(sums.estimated_cost)} estimated "
                f"({counted(sums.estimated_calls, 'call')})"
            )
        if sums.unpriced_calls:
            parts.append(f"and what {counted(sums.unpriced_calls, 'call')} without a price cost")
        if sums.open_calls:
            held = to_message(sums.reserved_cost)
            parts.append(
                f"open: {counted(sums.open_calls, 'call')}, for which {held} {currency} is held"
            )
    parts += [
        f"bills corrected it by {to_message(amount):+f} {currency}"
        for currency, amount in report.corrections or ()
    ]
    return "; ".join(parts)
