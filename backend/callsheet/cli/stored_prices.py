"""The prices of a deployment's database, for commands that do without one where there is none."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy.exc import DBAPIError

from callsheet.cli.database import database_url
from callsheet.cli.deployment import Deployment
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import AppError, SetupError
from callsheet.ledger.price.store import PriceTable, load_price_table


async def stored_prices(deployment: Deployment) -> PriceTable | None:
    """Prices, windows and rates of the database; None where no database can be asked.

    Nothing is made or migrated.
    """
    if deployment.settings.database.url is None and not _has_cluster(deployment):
        return None
    with suppress(AppError, SetupError, DBAPIError):
        return await _table(deployment)
    return None


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
