"""Brings a database to the newest schema, once, however many processes start at once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

import asyncpg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from callsheet.db.engine import async_url, plain_url
from callsheet.db.revisions import read_revisions
from callsheet.kit.errors import SetupError
from callsheet.kit.places import shipped

if TYPE_CHECKING:
    from alembic.config import Config

OLDEST_SERVER: Final = 15
MIGRATION_LOCK: Final = 0x63616C6C_73686565  # any number that nobody else on this server locks
_CURRENT: Final = "SELECT version_num FROM alembic_version"


async def current_revision(url: str, *, timeout_s: float = 10.0) -> str | None:
    """The revision the database stands at, None for an empty one.

    SetupError when it cannot be reached or its server is too old.
    """
    shown = async_url(url).render_as_string(hide_password=True)
    try:
        connection = await asyncpg.connect(plain_url(url), timeout=timeout_s)
    except (OSError, TimeoutError, asyncpg.PostgresError, ValueError) as error:
        raise SetupError(
            f"The database at {shown} cannot be reached: {str(error) or type(error).__name__}. "
            "Check CALLSHEET_DATABASE__URL."
        ) from error
    try:
        version = connection.get_server_version()
        if version.major < OLDEST_SERVER:
            raise SetupError(
                f"The database at {shown} is PostgreSQL {version.major}; "
                f"{OLDEST_SERVER} or newer is needed."
            )
        found: str | None = await connection.fetchval(_CURRENT)
        return found
    except asyncpg.UndefinedTableError:
        return None
    finally:
        await connection.close()


async def migrate(url: str, to: str = "head", *, folder: Path | None = None) -> bool:
    """Upgrade the database to the revision `to`; True when there was anything to do.

    Processes that start at the same time wait for the first one. SetupError when a migration
    fails (what it had begun is rolled back) or when the database is newer than this code: the
    start must stop there.
    """
    folder = folder or shipped("alembic")
    revisions = read_revisions(folder)
    target = revisions.head if to == "head" else to
    current = await current_revision(url)
    if current == target:
        return False
    if current is not None and current not in revisions.parents:
        raise SetupError(
            f"The database is at revision {current!r}, which this version of Callsheet does not "
            "know: it was used by a newer one. Upgrade Callsheet, or restore a backup."
        )
    await asyncio.to_thread(asyncio.run, _upgrade(url, target, folder))
    return True


async def downgrade(url: str, to: str, *, folder: Path | None = None) -> None:
    """Take migrations back to the revision `to` (`base` is the empty database)."""
    work = _upgrade(url, to, folder or shipped("alembic"), command="downgrade")
    await asyncio.to_thread(asyncio.run, work)


async def _upgrade(url: str, to: str, folder: Path, *, command: str = "upgrade") -> None:
    """In a thread with a loop of its own, because migrations block."""
    engine = create_async_engine(async_url(url), poolclass=NullPool)
    try:
        async with engine.connect() as holder, engine.connect() as connection:
            # The lock is held on a connection of its own, which no migration can commit away.
            await holder.execute(text("SELECT pg_advisory_lock(:key)"), {"key": MIGRATION_LOCK})
            await connection.run_sync(_run, folder, command, to)
    except DBAPIError as error:
        raise SetupError(f"A migration failed and was rolled back: {error.orig}") from error
    except SQLAlchemyError as error:
        raise SetupError(f"A migration failed and was rolled back: {error}") from error
    finally:
        await engine.dispose()


def _run(connection: Connection, folder: Path, command: str, to: str) -> None:
    # Alembic is only imported when there is something to migrate: the second start is quick.
    from alembic import command as commands  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = _config(folder)
    config.attributes["connection"] = connection
    try:
        getattr(commands, command)(config, to)
    except CommandError as error:
        raise SetupError(f"The migration to {to!r} is not possible: {error}") from error


def _config(folder: Path) -> Config:
    from alembic.config import Config  # noqa: PLC0415 (see _run)

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
