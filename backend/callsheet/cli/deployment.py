"""The deployment that a command works on: its settings, folders, log and database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from callsheet.cli.console import warn
from callsheet.db.embedded.lifecycle import embedded_postgres
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.migrate import migrate
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.log import setup_log
from callsheet.settings.folders import Folders, folders_of
from callsheet.settings.load import load_settings
from callsheet.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Deployment:
    """What the environment and the working folder say."""

    settings: Settings
    folders: Folders


def read_deployment(*, for_server: bool = False) -> Deployment:
    """Read it, warn about what is odd in it, and set the log up.

    A command logs warnings only, unless the deployment names a level: its output is the answer.
    """
    loaded = load_settings()
    settings = loaded.settings
    as_named = for_server or "level" in settings.log.model_fields_set
    setup_log(
        settings.log.level if as_named else "warning",
        settings.log.format,
        secrets=secrets_of(settings),
    )
    for warning in loaded.warnings:
        warn(warning)
    return Deployment(settings, folders_of(settings))


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Every secret value, for the log to keep back."""
    keys = [each.get_secret_value() for each in settings.auth.api_keys]
    found = [key.partition(":")[2] or key for key in keys]
    found += [each.api_key.get_secret_value() for each in settings.llm.values() if each.api_key]
    return tuple(found)


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
