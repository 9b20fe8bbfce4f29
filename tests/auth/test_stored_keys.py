"""Keys that were made here: who has them, until when, and what is remembered of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import LONGEST_TOKEN, Bearer
from callsheet.auth.key import hash_of, looks_like_key, make_key
from callsheet.auth.key_store import has_active_key, insert_key, list_keys, revoke_key
from callsheet.auth.local import LocalUser
from callsheet.auth.principal import Principal, principal_named, require_admin
from callsheet.auth.stored_keys import KEPT_S, StoredKeys
from callsheet.db.transaction import Database
from callsheet.kit.errors import Forbidden, Unauthorized, Unavailable
from tests.fakes.clock import HandClock

ANN = principal_named("ann")
ADMIN = principal_named("root", frozenset({"admin"}))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def keys(database: Database, clock: HandClock) -> StoredKeys:
    return StoredKeys(lambda: database, clock)


async def made(
    database: Database, owner: Principal = ANN, expires_at: datetime | None = None
) -> tuple[str, UUID]:
    key = make_key()
    async with database.transaction() as tx:
        return key, await insert_key(tx, key, owner, "", expires_at)


async def revoke(database: Database, key_id: UUID) -> bool:
    async with database.transaction() as tx:
        return await revoke_key(tx, key_id)


async def is_active(database: Database) -> bool:
    async with database.read() as tx:
        return await has_active_key(tx)


async def last_used(database: Database) -> list[datetime | None]:
    async with database.read() as tx:
        return [record.last_used_at for record in await list_keys(tx, None, 10)]


async def test_a_key_is_its_user_with_the_scopes_that_it_was_made_with(
    database: Database, keys: StoredKeys
) -> None:
    (mine, _), (admins, _) = await made(database), await made(database, ADMIN)
    assert await keys.find(mine) == ANN
    assert await keys.find(admins) == ADMIN
    require_admin(ADMIN)
    with pytest.raises(Forbidden) as caught:
        require_admin(ANN)
    assert (caught.value.status, caught.value.error_code) == (403, "forbidden")


async def test_the_key_itself_is_stored_nowhere(database: Database) -> None:
    key, _ = await made(database)
    async with database.read() as tx:
        row = (await tx.execute(text("SELECT api_keys::text FROM api_keys"))).scalar_one()
        (kept,) = (await tx.execute(text("SELECT hash FROM api_keys"))).scalars()
    assert key[12:] not in row
    assert kept == hash_of(key)


def test_keys_are_long_random_and_known_by_their_form() -> None:
    some = {make_key() for _ in range(100)}
    assert len(some) == 100
    assert all(looks_like_key(key) and len(key) == 47 for key in some)
    for other in ("", "csk_", "csk_short", make_key()[:-1], make_key() + "x", "csk_" + "é" * 43):
        assert not looks_like_key(other)


async def test_another_key_is_nobody_s(database: Database, keys: StoredKeys) -> None:
    key, _ = await made(database)
    for other in (make_key(), key.swapcase(), key + "x", key[:-1], "", "csk_"):
        assert await keys.find(other) is None


async def test_a_key_is_good_until_the_moment_in_which_it_expires(
    database: Database, keys: StoredKeys, clock: HandClock
) -> None:
    key, _ = await made(database, expires_at=clock.now() + timedelta(seconds=2))
    assert await keys.find(key) == ANN
    clock.forward(1.9)
    assert await keys.find(key) == ANN
    clock.forward(0.1)
    assert await keys.find(key) is None


async def test_a_revoked_key_is_out_within_three_seconds_in_every_process(
    database: Database, keys: StoredKeys, clock: HandClock
) -> None:
    other_process = StoredKeys(lambda: database, clock)
    key, key_id = await made(database)
    assert await keys.find(key) == ANN
    assert await revoke(database, key_id) is True
    assert await revoke(database, key_id) is False
    assert await other_process.find(key) is None
    assert KEPT_S <= 3
    clock.forward(KEPT_S)
    assert await keys.find(key) is None


async def test_the_database_is_not_asked_with_each_request(
    database: Database, clock: HandClock
) -> None:
    asked = 0

    def counted() -> Database:
        nonlocal asked
        asked += 1
        return database

    keys = StoredKeys(counted, clock)
    known, unknown = (await made(database))[0], make_key()
    for _ in range(5):
        assert await keys.find(known) == ANN
        assert await keys.find(unknown) is None
    assert asked == 2
    clock.forward(KEPT_S)
    await keys.find(known)
    assert asked == 3
    await keys.find("csk_not-a-key-at-all")
    assert asked == 3


async def test_only_so_many_answers_are_remembered_the_latest_ones(
    database: Database, clock: HandClock
) -> None:
    asked: list[str] = []

    def counted() -> Database:
        asked.append("")
        return database

    keys = StoredKeys(counted, clock, most=2)
    first, second, third, fourth = (make_key() for _ in range(4))
    await keys.find(first)
    await keys.find(second)
    clock.forward(KEPT_S)
    await keys.find(first)
    await keys.find(third)
    assert len(asked) == 4
    await keys.find(first)
    assert len(asked) == 4
    await keys.find(fourth)
    await keys.find(first)
    assert len(asked) == 6


async def test_a_key_that_cannot_be_looked_up_is_not_called_wrong(
    database: Database, clock: HandClock
) -> None:
    def starting() -> Database:
        raise Unavailable("The server is still starting.", service="database")

    with pytest.raises(Unavailable):
        await Bearer([StoredKeys(starting, clock)]).authenticate(f"Bearer {make_key()}")


async def test_uses_are_written_beside_the_requests_and_once_a_minute(
    database: Database, keys: StoredKeys, clock: HandClock
) -> None:
    key, _ = await made(database)
    first = clock.now()
    await keys.find(key)
    assert await last_used(database) == [None]
    await keys.uses.write()
    assert await last_used(database) == [first]

    clock.forward(59)
    await keys.find(key)
    await keys.uses.write()
    assert await last_used(database) == [first]
    clock.forward(1)
    await keys.find(key)
    await keys.uses.write()
    assert await last_used(database) == [clock.now()]


async def test_uses_wait_for_a_database_that_is_away(database: Database, clock: HandClock) -> None:
    away = False

    def sometimes() -> Database:
        if away:
            raise Unavailable("The database does not answer.", service="database")
        return database

    keys = StoredKeys(sometimes, clock)
    key, _ = await made(database)
    await keys.find(key)
    away = True
    await keys.uses.write()
    assert await last_used(database) == [None]
    away = False
    await keys.uses.write()
    assert await last_used(database) == [clock.now()]


async def test_expired_and_revoked_keys_let_nobody_in(
    database: Database,
) -> None:
    past, future = (HandClock().now() + timedelta(days=days) for days in (-36500, 36500))
    assert await is_active(database) is False
    await made(database, expires_at=past)
    revoked = (await made(database))[1]
    await revoke(database, revoked)
    assert await is_active(database) is False
    await made(database, expires_at=future)
    assert await is_active(database) is True


async def test_a_local_server_takes_made_keys_for_their_users_and_everybody_else_for_its_own(
    database: Database, keys: StoredKeys
) -> None:
    local = LocalUser(keys)
    key, _ = await made(database)
    assert await local.authenticate(f"Bearer {key}") == ANN
    for header in (None, "", "Bearer x", "Basic csk_x"):
        user = await local.authenticate(header)
        assert user == principal_named("local", frozenset({"admin"}))
    with pytest.raises(Unauthorized):
        await local.authenticate(f"Bearer {make_key()}")


async def test_a_header_that_is_too_long_is_not_looked_at() -> None:
    anything = "x" * LONGEST_TOKEN
    callers = Bearer([ApiKeys([f"ann:{anything}", f"ann:{anything}x"])])
    assert await callers.authenticate(f"Bearer {anything}") == ANN
    with pytest.raises(Unauthorized):
        await callers.authenticate(f"Bearer {anything}x")
