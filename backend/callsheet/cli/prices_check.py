"""`callsheet prices check`: can every configured model be called, at a price that was checked?"""

from __future__ import annotations

import asyncio

import typer

from callsheet.cli.configured_models import configured_models
from callsheet.cli.console import OUT, counted, note
from callsheet.cli.database import open_database
from callsheet.cli.deployment import read_deployment
from callsheet.kit.clock import SystemClock
from callsheet.ledger.price.findings import price_findings
from callsheet.ledger.price.store import PriceTable, load_price_table


def check() -> None:
    """Look at the stored price of every configured model; status 1 where something is wrong."""
    deployment = read_deployment()
    models = configured_models(deployment)

    async def work() -> PriceTable:
        async with open_database(deployment) as database, database.read() as tx:
            return await load_price_table(tx)

    table, now = asyncio.run(work()), SystemClock().now()
    found = [
        finding
        for model in models
        for finding in price_findings(
            model.factory, model.model_code, table, deployment.settings.currency, now
        )
    ]
    for finding in found:
        OUT.print(
            f"{finding.factory}/{finding.model_code}: {finding.detail}",
            soft_wrap=True,
            markup=False,
        )
    if found:
        note(counted(len(found), "finding"))
        raise typer.Exit(1)
    OUT.print(f"{len(models)} models are priced, and the prices were verified", soft_wrap=True)
