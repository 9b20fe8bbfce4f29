"""`callsheet reconcile`: does the provider's bill say what the ledger says?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from callsheet.cli.console import OUT, counted, note, warn
from callsheet.cli.database import open_database
from callsheet.cli.deployment import read_deployment
from callsheet.cli.periods import as_options
from callsheet.cli.progress import progress
from callsheet.cli.table import text_table
from callsheet.kit.clock import SystemClock
from callsheet.kit.money import plain, to_message
from callsheet.ledger.reconcile.bill import Bill
from callsheet.ledger.reconcile.bill_file import read_bill
from callsheet.ledger.reconcile.compare import Difference
from callsheet.ledger.reconcile.layout import FILE, load_layout
from callsheet.ledger.reconcile.statement import (
    Statement,
    adjustments_of,
    hold_against,
    is_over,
)
from callsheet.ledger.reconcile.store import add_adjustments

app = typer.Typer(add_completion=False)

_PATIENCE_S: Final = 600.0
_HEADS: Final = (
    "day", "model", "calls", "uncertain", "bill", "currency", "billed", "booked", "difference",
    "percent",
)  # fmt: skip
_TOKEN_HEADS: Final = ("input", "input booked", "output", "output booked")


@app.command(
    epilog="Examples:\n\n"
    "callsheet reconcile cost-2026-11.csv --factory deepseek\n\n"
    "callsheet reconcile cost-2026-11.csv --factory deepseek --ignore-below 0.01 --write\n\n"
    "Status: 0 the bill says what the ledger says, or the differences are stored; 1 it does not; "
    "2 the bill, an option or the set-up is wrong."
)
def reconcile(
    file: Annotated[Path, typer.Argument(help="The bill, a CSV.", dir_okay=False)],
    *,
    factory: Annotated[
        str, typer.Option("--factory", help="Whose bill it is; config/bills.yaml has its layout.")
    ],
    write: Annotated[
        bool,
        typer.Option("--write", help="Store the differences beside the ledger; calls stay."),
    ] = False,
    ignore_below: Annotated[
        str,
        typer.Option("--ignore-below", metavar="AMOUNT", help="Smaller differences are rounding."),
    ] = "0",
    everything: Annotated[bool, typer.Option("--all", help="Also show what is equal.")] = False,
) -> None:
    """Compare a provider's bill with the ledger, by day and model, or by call where it has ids.

    Corrections of earlier bills count as booked, so that the same bill read twice finds nothing.
    """
    least = _amount(ignore_below)
    deployment = read_deployment()
    layout = load_layout(deployment.folders.config / FILE, factory)
    with progress("reading") as advance:
        bill = read_bill(file, layout, advance)

    async def work() -> bool:
        currency = deployment.settings.currency
        async with open_database(deployment, statement_timeout_s=_PATIENCE_S) as database:
            with progress("comparing"):
                async with database.read() as tx:
                    statement = await hold_against(tx, bill, layout, factory, currency)
            found = statement.over(least)
            _show(statement, (*statement.calls, *statement.days) if everything else found)
            if not write:
                return not found
            now = SystemClock().now()
            ended = [each for each in found if is_over(each.day, layout.time_zone, now)]
            rows = adjustments_of(statement, bill, ended, by="callsheet reconcile")
            async with database.transaction() as tx:
                added = await add_adjustments(tx, rows)
            _say_stored(bill, len(rows), added, len(found) - len(ended))
            return len(ended) == len(found)

    with as_options():
        agrees = asyncio.run(work())
    if not agrees:
        raise typer.Exit(1)


def _amount(written: str) -> Decimal:
    try:
        amount = Decimal(written)
    except InvalidOperation:
        amount = Decimal(-1)
    if not (amount.is_finite() and amount >= 0):
        raise typer.BadParameter("is no amount of money", param_hint="--ignore-below")
    return amount


def _show(statement: Statement, shown: Sequence[Difference]) -> None:
    every = (*statement.calls, *statement.days)
    differ = sum(1 for each in every if each.amount)
    with_tokens = any(each.billed_tokens.output is not None for each in every)
    heads = (*_HEADS, *(_TOKEN_HEADS if with_tokens else ()))
    if statement.calls:
        heads = (*heads, "request")
    rows = [_row(each, tokens=with_tokens, request=bool(statement.calls)) for each in shown]
    OUT.print(text_table(heads, rows), soft_wrap=True, markup=False)
    total = sum((each.amount for each in every), Decimal(0))
    note(
        f"{statement.period}: {len(every)} compared, {differ} differ, in all "
        f"{to_message(total):+f} {statement.currency}"
    )


def _row(each: Difference, *, tokens: bool, request: bool) -> list[Any]:
    booked = each.booked
    row: list[Any] = [
        each.day,
        each.model,
        booked.calls,
        booked.uncertain,
        None if each.billed is None else plain(each.billed_native),
        each.native_currency,
        None if each.billed is None else to_message(each.billed),
        to_message(booked.cost),
        to_message(each.amount),
        each.percent,
    ]
    if tokens:
        billed = each.billed_tokens
        row += [billed.input, booked.tokens.input, billed.output, booked.tokens.output]
    return [*row, booked.request_id] if request else row


def _say_stored(bill: Bill, wanted: int, added: int, under_way: int) -> None:
    note(f"{counted(added, 'difference')} stored in cost_adjustments")
    if added < wanted:
        warn(f"{wanted - added} of {bill.name} were stored before and are not taken again")
    if under_way:
        warn(f"not stored, since the day is not over: {under_way}; read a later bill for it")
