"""Looking after the database, on a real one."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import asyncpg
import pytest

from callsheet.cli.postgres_programs import address
from callsheet.db.engine import plain_url
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.cli.conftest import Callsheet
from tests.fixtures.booked import book_turns
from tests.fixtures.database import run_apart


async def book(url: str) -> None:
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    await book_turns(database)
    await database.close()


async def sessions(url: str) -> int:
    connection = await asyncpg.connect(plain_url(url))
    try:
        return int(await connection.fetchval("SELECT count(*) FROM sessions"))
    finally:
        await connection.close()


def test_the_address_is_printed_alone(deployed: Callsheet, database_url: str) -> None:
    assert deployed("db", "url").out == plain_url(database_url) + "\n"


def test_a_backup_brings_back_what_a_reset_took(
    deployed: Callsheet, database_url: str, tmp_path: Path
) -> None:
    run_apart(book(database_url))
    file = tmp_path / "one.dump"
    kept = deployed("db", "backup", str(file))
    assert kept.status == 0, kept.err
    assert f"{file.stat().st_size:,} bytes" in kept.out
    assert deployed("db", "reset", "--yes").status == 0
    assert run_apart(sessions(database_url)) == 0
    restored = deployed("db", "restore", str(file), "--yes")
    assert restored.status == 0, restored.err
    assert run_apart(sessions(database_url)) == 1
    assert deployed("audit").status == 0


def test_nothing_is_overwritten_or_deleted_without_being_told_to(
    deployed: Callsheet, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_apart(book(database_url))
    file = tmp_path / "one.dump"
    file.write_text("mine")
    refused = deployed("db", "backup", str(file))
    assert (refused.status, file.read_text()) == (2, "mine")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert deployed("db", "reset").status == 1
    assert run_apart(sessions(database_url)) == 1


def test_what_is_no_backup_changes_nothing(
    deployed: Callsheet, database_url: str, tmp_path: Path
) -> None:
    run_apart(book(database_url))
    (tmp_path / "no.dump").write_text("no dump")
    ran = deployed("db", "restore", str(tmp_path / "no.dump"), "--yes")
    assert ran.status == 2
    assert "restoring failed" in ran.err
    assert run_apart(sessions(database_url)) == 1
    assert deployed("db", "restore", str(tmp_path / "none.dump")).status == 2


def test_a_database_in_use_is_not_reset(deployed: Callsheet, database_url: str) -> None:
    async def with_server() -> int:
        settings = {"application_name": "callsheet"}
        connection = await asyncpg.connect(plain_url(database_url), server_settings=settings)
        try:
            return (await asyncio.to_thread(deployed, "db", "reset", "--yes")).status
        finally:
            await connection.close()

    assert run_apart(with_server()) == 2


def test_migrate_says_where_it_stands(deployed: Callsheet) -> None:
    ran = deployed("db", "migrate")
    assert ran.status == 0
    assert ran.out.startswith("already at ")


def test_psql_gets_what_follows(deployed: Callsheet, tmp_path: Path) -> None:
    file = tmp_path / "out"
    assert deployed("db", "psql", "-c", "SELECT 17 * 23", "-A", "-t", "-o", str(file)).status == 0
    assert file.read_text() == "391\n"
    assert deployed("db", "psql", "-c", "SELECT nothing").status == 1


def test_a_password_is_never_on_a_command_line() -> None:
    with address("postgresql://me:s%3Acret@db.example:5433/name?sslmode=require") as shown:
        assert "cret" not in shown
        file = Path(shown.split("passfile=")[1].split("&")[0].replace("%2F", "/"))
        assert file.read_text() == "*:*:*:*:s\\:cret\n"
        assert file.stat().st_mode & 0o077 == 0
    assert not file.exists()


def test_a_backup_follows_no_link_and_is_nobody_elses_to_read(
    deployed: Callsheet, tmp_path: Path
) -> None:
    file, other = tmp_path / "one.dump", tmp_path / "other"
    other.write_text("not ours")
    file.with_name("one.dump.unfinished").symlink_to(other)
    assert deployed("db", "backup", str(file)).status == 0
    assert other.read_text() == "not ours"
    assert file.stat().st_mode & 0o777 == 0o600
