"""The prices of a deployment's database, for commands that do without one where there is none."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy.exc import DBAPIError

from callsheet.cli.database import database_url
from callsheet.cli.deployment import Deployment
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError, SetupError
from callsheet.ledger.price.store import PriceTable, load_price_table


async def models_priced_in_database(
    deployment: Deployment, models: frozenset[tuple[str, str]], clock: Clock
) -> frozenset[tuple[str, str]]:
    """Those of the models that have a price there now; none where no database can be asked.

    Nothing is made or migrated.
    """
    if deployment.settings.database.url is None and not _has_cluster(deployment):
        return frozenset()
    with suppress(AppError, SetupError, DBAPIError):
        table = await _table(deployment)
        book, now = table.book(deployment.settings.currency), clock.now()
        return frozenset(model for model in models if book.has_price(*model, now))
    return frozenset()


def _has_cluster(deployment: Deployment) -> bool:
    return (deployment.folders.data / "postgres").is_dir()


async def _table(deployment: Deployment) -> PriceTable:
    async with database_url(deployment) as url:
        options = DatabaseOptions(url, application_name="callsheet command")
        database = Database.from_options(options, pooled=False)
        try:
            async with database.read() as tx:
                return await load_price_table(tx)
        finally:
            await database.close()
