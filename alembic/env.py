"""Runs migrations on a connection that was handed in, or on `-x url=...`."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

import callsheet.db.tables  # noqa: F401 (fills the metadata)
from callsheet.db.base import Base, is_ours
from callsheet.db.engine import async_url


def run(connection: Connection) -> None:
    """Each migration in a transaction of its own: a failed one leaves the last good state."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        compare_server_default=True,
        include_name=is_ours,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()


async def connect_and_run(url: str) -> None:
    engine = create_async_engine(async_url(url), poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(run)
    await engine.dispose()


def main() -> None:
    handed_in: Connection | None = context.config.attributes.get("connection")
    if handed_in is not None:
        run(handed_in)
        return
    url = context.get_x_argument(as_dictionary=True).get("url")
    if not url:
        raise SystemExit("Say which database: alembic -x url=postgresql://... COMMAND")
    if context.is_offline_mode():
        context.configure(url=url, target_metadata=Base.metadata, dialect_name="postgresql")
        with context.begin_transaction():
            context.run_migrations()
        return
    asyncio.run(connect_and_run(url))


main()
