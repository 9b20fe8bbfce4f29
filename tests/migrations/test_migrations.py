from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

import callsheet.db.tables  # noqa: F401
from callsheet.db.base import Base, is_ours
from callsheet.db.engine import async_url, plain_url
from callsheet.db.migrate import MIGRATION_LOCK, current_revision, downgrade, migrate
from callsheet.db.revisions import read_revisions
from callsheet.kit.errors import SetupError
from callsheet.kit.places import shipped

HEAD = read_revisions(shipped("alembic")).head


async def query(url: str, statement: str) -> list[Any]:
    connection = await asyncpg.connect(plain_url(url))
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


async def schema(url: str) -> list[Any]:
    """Everything in the database that is ours, from columns to views."""
    return [
        await query(
            url,
            "SELECT table_name, column_name, udt_name, column_default, is_nullable "
            "FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
        ),
        await query(
            url,
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) "
            "FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
        ),
        await query(url, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
        await query(
            url,
            "SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace ORDER BY 1",
        ),
        await query(
            url,
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1",
        ),
        await query(url, "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1"),
        await query(
            url, "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY 1"
        ),
    ]


async def test_up_down_and_up_again_ends_in_the_same_schema(empty_database_url: str) -> None:
    url = empty_database_url
    assert await current_revision(url) is None
    assert await migrate(url) is True
    first = await schema(url)
    assert await current_revision(url) == HEAD
    await downgrade(url, "base")
    tables, constraints, indexes, types, functions, triggers, views = await schema(url)
    assert {row[0] for row in tables} == {"alembic_version"}
    assert {row[0] for row in constraints} == {"alembic_version"}
    assert len(indexes) == 1
    assert {row[0].lstrip("_") for row in types} == {"alembic_version"}
    assert (functions, triggers, views) == ([], [], [])
    assert await migrate(url) is True
    assert await schema(url) == first


async def test_the_tables_are_what_the_migrations_make(database_url: str) -> None:
    def compare(connection: Connection) -> list[Any]:
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_name": is_ours,
        }
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Base.metadata))

    engine = create_async_engine(async_url(database_url), poolclass=NullPool)
    async with engine.connect() as connection:
        assert await connection.run_sync(compare) == []
    await engine.dispose()


async def test_processes_that_start_together_migrate_once(empty_database_url: str) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(migrate(empty_database_url))
    assert await current_revision(empty_database_url) == HEAD
    assert await migrate(empty_database_url) is False


def with_a_migration(tmp_path: Path, upgrade: str) -> Path:
    """A copy of the migrations with one more, `next`, whose upgrade is `upgrade`."""
    folder = tmp_path / "alembic"
    shutil.copytree(shipped("alembic"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "2099_01_01_next.py").write_text(
        f"from alembic import op\n\nrevision = 'next'\ndown_revision = {HEAD!r}\n\n\n"
        f"def upgrade() -> None:\n    {upgrade}\n"
    )
    return folder


async def test_a_migration_that_fails_stops_the_start_and_leaves_the_last_good_state(
    empty_database_url: str, tmp_path: Path
) -> None:
    url = empty_database_url
    broken = "op.execute('CREATE TABLE half (id int)'); op.execute('SELECT 1/0')"
    folder = with_a_migration(tmp_path, broken)
    with pytest.raises(SetupError, match=r"A migration failed and was rolled back.*division"):
        await migrate(url, folder=folder)
    assert await current_revision(url) == HEAD
    assert await query(url, "SELECT to_regclass('half')::text") == [(None,)]
    mended = with_a_migration(tmp_path / "mended", "op.execute('CREATE TABLE half (id int)')")
    assert await migrate(url, folder=mended) is True
    assert await current_revision(url) == "next"


async def test_a_database_of_a_newer_version_is_refused(
    empty_database_url: str, tmp_path: Path
) -> None:
    await migrate(empty_database_url, folder=with_a_migration(tmp_path, "pass"))
    with pytest.raises(SetupError, match=r"'next'.*used by a newer one"):
        await migrate(empty_database_url)


async def test_a_migration_waits_for_the_one_that_runs_already(empty_database_url: str) -> None:
    holder = await asyncpg.connect(plain_url(empty_database_url))
    await holder.execute(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
    waiting = asyncio.get_running_loop().create_task(migrate(empty_database_url))
    blocked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    while await query(empty_database_url, blocked) == [(0,)]:
        await asyncio.sleep(0.01)
    assert await current_revision(empty_database_url) is None
    await holder.close()
    assert await waiting is True
    assert await current_revision(empty_database_url) == HEAD


async def test_a_database_that_cannot_be_reached_is_told_without_its_password() -> None:
    with pytest.raises(SetupError, match=r"127\.0\.0\.1:9/d cannot be reached") as caught:
        await migrate("postgresql://me:hunter2@127.0.0.1:9/d")
    assert "hunter2" not in str(caught.value)


async def test_a_target_that_does_not_exist_is_refused(empty_database_url: str) -> None:
    with pytest.raises(SetupError, match="'nowhere' is not possible"):
        await migrate(empty_database_url, "nowhere")


def test_two_ends_of_the_migrations_are_refused(tmp_path: Path) -> None:
    folder = with_a_migration(tmp_path, "pass")
    twin = (folder / "versions" / "2099_01_01_next.py").read_text().replace("'next'", "'twin'")
    (folder / "versions" / "2099_01_01_twin.py").write_text(twin)
    with pytest.raises(SetupError, match=r"must end in one revision.*next.*twin"):
        _ = read_revisions(folder).head


def test_every_migration_is_date_named_and_limits_how_long_it_waits_for_a_lock() -> None:
    files = sorted((shipped("alembic") / "versions").glob("*.py"))
    assert len(files) >= 4
    for file in files:
        assert file.name[:11].replace("_", "").isdigit(), file.name
        assert file.read_text().count("SET LOCAL lock_timeout = '5s'") == 2, file.name
    assert "SET LOCAL lock_timeout" in (shipped("alembic") / "script.py.mako").read_text()
