"""`callsheet prices import`: a whole price list at once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from callsheet.catalog.files import load_price_list
from callsheet.catalog.price import PriceList
from callsheet.catalog.price_change import import_prices
from callsheet.catalog.price_csv import load_price_csv
from callsheet.catalog.report import Change
from callsheet.cli.console import OUT, note
from callsheet.cli.database import open_database
from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.cli.price_words import who
from callsheet.kit.clock import SystemClock
from callsheet.wiring.price_feed import lead_of


def import_command(
    file: Annotated[
        Path, typer.Argument(help="A price list as config/llm_prices.yaml, or a CSV file.")
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, only say what.")] = False,
) -> None:
    """Let the stored prices say what a list says; models that it does not name stay."""
    prices = load_price_csv(file) if file.suffix.lower() == ".csv" else load_price_list(file)
    changes = asyncio.run(apply(read_deployment(), prices, commit=yes))
    for change in changes:
        OUT.print(str(change), soft_wrap=True, markup=False)
    if not changes:
        note("The stored prices say that already.")
    elif not yes:
        note(f"{len(changes)} changes, none made: --yes makes them.")


async def apply(deployment: Deployment, prices: PriceList, *, commit: bool) -> tuple[Change, ...]:
    """What the list changes; with `commit` False nothing stays changed."""
    async with open_database(deployment) as database:
        lead = await lead_of(database, own_processes=0)
        now, currency = SystemClock().now(), deployment.settings.currency
        async with database.transaction() as tx:
            changes = await import_prices(tx, prices, who(), now, currency, lead)
            if not commit:
                await tx.rollback()
            return changes
