"""Keys are shown once, listed without what opens the door, and revoked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from callsheet.auth.key import hash_of, looks_like_key
from callsheet.auth.principal import user_id_of
from callsheet.db.engine import plain_url
from tests.cli.conftest import Callsheet
from tests.fixtures.database import run_apart


def rows(url: str) -> list[dict[str, Any]]:
    async def read() -> list[dict[str, Any]]:
        connection = await asyncpg.connect(plain_url(url))
        try:
            return [dict(row) for row in await connection.fetch("SELECT * FROM api_keys")]
        finally:
            await connection.close()

    return run_apart(read())


def test_a_key_is_shown_once_and_only_its_hash_is_kept(
    deployed: Callsheet, database_url: str
) -> None:
    ran = deployed("keys", "create", "--user", "ann", "--label", "build server")
    key = ran.out.strip()
    assert ran.status == 0
    assert looks_like_key(key)
    assert "without scopes" in ran.err

    (row,) = rows(database_url)
    assert row["user_id"] == user_id_of("ann")
    assert row["hash"] == hash_of(key)
    assert row["prefix"] == key[:12]
    assert key[12:] not in repr(row)

    listed = deployed("keys", "list")
    assert key[:12] in listed.out
    assert key[12:] not in listed.out
    for shown in ("ann", "build server", "active"):
        assert shown in listed.out


def test_a_key_has_the_scopes_and_the_life_that_were_asked_for(
    deployed: Callsheet, database_url: str
) -> None:
    before = datetime.now(UTC)
    ran = deployed("keys", "create", "--user", "ann", "--admin", "--expires-in-days", "90")
    assert "with the scope admin" in ran.err
    (row,) = rows(database_url)
    assert row["scopes"] == ["admin"]
    assert (row["expires_at"] - before).days in (90, 89)
    assert "admin" in deployed("keys", "list", "--user", "ann").out
    assert deployed("keys", "list", "--user", "bob").out == "(none)\n"


@pytest.mark.parametrize("named_by", ["prefix", "key", "id"])
def test_a_key_is_revoked_once(deployed: Callsheet, database_url: str, named_by: str) -> None:
    key = deployed("keys", "create", "--user", "ann").out.strip()
    other = deployed("keys", "create", "--user", "ann").out.strip()
    ids = {row["prefix"]: str(row["id"]) for row in rows(database_url)}
    name = {"prefix": key[:12], "key": key, "id": ids[key[:12]]}[named_by]

    ran = deployed("keys", "revoke", name)
    assert ran.out == f"revoked {key[:12]} of ann\n"
    revoked = {row["prefix"]: row["revoked_at"] for row in rows(database_url)}
    assert revoked[key[:12]] is not None
    assert revoked[other[:12]] is None

    again = deployed("keys", "revoke", name)
    assert "revoked before" in again.err
    assert {row["prefix"]: row["revoked_at"] for row in rows(database_url)} == revoked
    assert "revoked" in deployed("keys", "list").out


def test_a_key_that_is_not_there_is_told(deployed: Callsheet) -> None:
    ran = deployed("keys", "revoke", "csk_notthere")
    assert ran.status == 1
    assert "callsheet keys list" in ran.err


def test_of_two_keys_that_begin_alike_none_is_revoked(
    deployed: Callsheet, database_url: str
) -> None:
    key = deployed("keys", "create", "--user", "ann").out.strip()
    deployed("keys", "create", "--user", "bob")

    async def alike() -> None:
        connection = await asyncpg.connect(plain_url(database_url))
        await connection.execute("UPDATE api_keys SET prefix = $1", key[:12])
        await connection.close()

    run_apart(alike())
    ran = deployed("keys", "revoke", key[:12])
    assert ran.status == 1
    found = rows(database_url)
    assert all(str(row["id"]) in ran.err for row in found)
    assert all(row["revoked_at"] is None for row in found)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--user", ""),
        ("--user", " ann"),
        ("--user", "x" * 101),
        ("--user", "a\x1b[2J"),
        ("--user", "ann", "--label", "x" * 101),
        ("--user", "ann", "--label", "a\nb"),
        ("--user", "ann", "--expires-in-days", "0"),
        (),
    ],
)
def test_what_cannot_be_is_refused(
    deployed: Callsheet, database_url: str, wrong: tuple[str, ...]
) -> None:
    assert deployed("keys", "create", *wrong).status != 0
    assert rows(database_url) == []
