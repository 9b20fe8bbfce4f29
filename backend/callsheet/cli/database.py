"""The database of a deployment, for commands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from callsheet.cli.deployment import Deployment, read_deployment
from callsheet.db.embedded.lifecycle import embedded_postgres
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.migrate import migrate
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database


@asynccontextmanager
async def database_url(deployment: Deployment) -> AsyncIterator[str]:
    """The address of a database that answers: the one that is named, else the embedded one."""
    url = deployment.settings.database.url
    if url is not None:
        yield url.get_secret_value()
        return
    async with embedded_postgres(EmbeddedOptions(deployment.folders.data)) as embedded:
        yield embedded


@asynccontextmanager
async def open_database(
    deployment: Deployment | None = None, *, statement_timeout_s: float | None = None
) -> AsyncIterator[Database]:
    """The deployment's database at this version's schema, for one command."""
    deployment = deployment or read_deployment()
    limit = statement_timeout_s or deployment.settings.database.statement_timeout_s
    async with database_url(deployment) as url:
        await migrate(url)
        database = Database.from_options(
            DatabaseOptions(url, statement_timeout_s=limit, application_name="callsheet command"),
            pooled=False,
        )
        try:
            yield database
        finally:
            await database.close()
