"""Who calls is known by the header alone: each way in, and everything that is no way in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import jwt
import pytest

from callsheet.auth.jwks_cache import AGAIN_S, FRESH_S
from callsheet.auth.key import make_key
from callsheet.auth.key_store import insert_key, list_keys, revoke_key
from callsheet.auth.principal import principal_named, user_id_of
from callsheet.auth.stored_keys import KEPT_S
from callsheet.db.transaction import Database
from callsheet.wiring.adapters import Adapters
from tests.fakes.agui_client import AgUiClient
from tests.fakes.bad_tokens import bad_tokens
from tests.fakes.clock import HandClock
from tests.fakes.deployment import Deployment
from tests.fakes.identity_provider import (
    AUDIENCE,
    ISSUER,
    SECRET,
    IdentityProvider,
    claims,
    identity_provider,
    rsa_key,
)
from tests.fakes.running_app import RunningApp

ENVIRONMENT_KEY = "sk-environment-key-of-env"
SESSIONS = "/v1/sessions"


@dataclass(frozen=True, slots=True)
class World:
    """A server that knows all ways in, the provider of its tokens, its clock and its keys."""

    app: RunningApp
    http: httpx.AsyncClient
    provider: IdentityProvider
    clock: HandClock
    database: Database

    async def made_key(self, user: str, expires_at: datetime | None = None) -> tuple[str, UUID]:
        key = make_key()
        async with self.database.transaction() as tx:
            return key, await insert_key(tx, key, principal_named(user), "", expires_at)

    async def revoke(self, key_id: UUID) -> None:
        async with self.database.transaction() as tx:
            assert await revoke_key(tx, key_id)

    def shared(self, **changed: Any) -> str:
        return jwt.encode(claims(self.clock.now(), **changed), SECRET, "HS256")

    def signed(self, kid: str = "rsa-1", **changed: Any) -> str:
        return self.provider.token(kid, self.clock.now(), **changed)

    async def status(self, token: str) -> int:
        return (await self.http.get(SESSIONS, headers=bearer(token))).status_code


@pytest.fixture
async def world(
    deployment: Deployment, database_url: str, database: Database
) -> AsyncIterator[World]:
    clock = HandClock(datetime.now(UTC))
    async with identity_provider() as provider:
        auth = {
            "api_keys": [f"env:{ENVIRONMENT_KEY}"],
            "jwt": {
                "secret": SECRET,
                "jwks_url": provider.url,
                "issuer": ISSUER,
                "audience": AUDIENCE,
            },
        }
        settings = deployment.settings(database_url, auth=auth)
        app = RunningApp(settings, Adapters(clock=clock))
        async with app, httpx.AsyncClient(base_url=app.base_url, timeout=30) as http:
            yield World(app, http, provider, clock, database)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_each_way_in_has_sessions_of_its_own(world: World) -> None:
    ways = {
        "env": ENVIRONMENT_KEY,
        "made": (await world.made_key("made"))[0],
        "shared": world.shared(sub="shared"),
        "rsa": world.signed("rsa-1", sub="rsa"),
        "ec": world.signed("ec-1", sub="ec"),
    }
    own: dict[str, str] = {}
    for user, token in ways.items():
        created = await world.http.post(SESSIONS, json={"title": user}, headers=bearer(token))
        assert created.status_code == 201, (user, created.text)
        own[user] = created.json()["id"]

    async with world.database.read() as tx:
        rows = await tx.exec_driver_sql("SELECT id, user_id FROM sessions")
        owners = {str(row.id): row.user_id for row in rows}
    assert owners == {own[user]: user_id_of(user) for user in ways}

    for user, token in ways.items():
        listed = (await world.http.get(SESSIONS, headers=bearer(token))).json()["items"]
        assert [session["id"] for session in listed] == [own[user]]
        for other, session in own.items():
            found = await world.http.get(f"{SESSIONS}/{session}", headers=bearer(token))
            assert found.status_code == (200 if other == user else 404), (user, other)


async def test_one_name_is_one_user_whichever_way_it_comes(world: World) -> None:
    key, _ = await world.made_key("u-1")
    made = await world.http.post(SESSIONS, json={}, headers=bearer(key))
    found = await world.http.get(
        f"{SESSIONS}/{made.json()['id']}", headers=bearer(world.signed(sub="u-1"))
    )
    assert found.status_code == 200


async def bad_keys(world: World) -> Mapping[str, str]:
    """Keys that open nothing, by what is wrong with them."""
    revoked, revoked_id = await world.made_key("ann")
    await world.revoke(revoked_id)
    expired, _ = await world.made_key("ann", world.clock.now() - timedelta(days=1))
    return {
        "an unknown key": "sk-nobody-has-this-key",
        "an unknown made key": make_key(),
        "a revoked key": revoked,
        "an expired key": expired,
        "half a key": revoked[:20],
    }


async def test_what_is_no_way_in_is_told_what_to_send_and_not_what_was_wrong(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    bad = {**await bad_keys(world), **bad_tokens(world.provider, world.clock.now())}
    headers = {name: bearer(token) for name, token in bad.items()}
    headers |= {"nothing": {}, "a password": {"Authorization": "Basic YW5uOnB3"}}
    said = set()
    for name, header in headers.items():
        answer = await world.http.get(SESSIONS, headers=header)
        assert answer.status_code == 401, (name, answer.text)
        assert answer.headers["www-authenticate"] == "Bearer", name
        problem = answer.json()
        assert problem["code"] == "unauthorized"
        said.add((problem["detail"], frozenset(problem)))
    assert len(said) == 1
    assert "Authorization: Bearer" in said.pop()[0]

    written = "".join(capfd.readouterr())
    assert "token_refused" in written
    parts = {part for token in bad.values() for part in token.split(".") if len(part) > 12}
    assert [part for part in parts if part in written] == []


async def test_a_revoked_key_is_out_after_three_seconds(world: World) -> None:
    key, key_id = await world.made_key("ann")
    assert await world.status(key) == 200
    await world.revoke(key_id)
    world.clock.forward(KEPT_S)
    assert await world.status(key) == 401


async def test_the_provider_s_outage_stops_only_those_who_were_never_seen(world: World) -> None:
    world.provider.go_away()
    token = world.signed()
    refused = await world.http.get(SESSIONS, headers=bearer(token))
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == str(int(AGAIN_S))
    assert refused.json()["service"] == "identity"
    assert await world.status(world.shared()) == 200
    assert await world.status(ENVIRONMENT_KEY) == 200

    world.provider.publish(**world.provider.keys)
    world.clock.forward(AGAIN_S)
    assert await world.status(token) == 200
    world.provider.go_away()
    world.clock.forward(FRESH_S)
    assert await world.status(token) == 200


async def test_new_keys_of_the_provider_are_found_without_a_restart(world: World) -> None:
    assert await world.status(world.signed()) == 200
    world.provider.publish(**{"rsa-2": rsa_key("rsa-2")})
    world.clock.forward(AGAIN_S)
    assert await world.status(world.signed("rsa-2")) == 200


async def test_nothing_in_a_request_but_its_token_says_who_calls(world: World) -> None:
    bob = user_id_of("bob")
    claimed: dict[str, Any] = {
        "userId": str(bob), "user_id": str(bob), "user": "bob", "sub": "bob", "scopes": ["admin"],
    }  # fmt: skip
    alice, bobs = bearer(world.shared(**{**claimed, "sub": "alice"})), world.shared(sub="bob")
    alice |= {"X-User-Id": str(bob), "X-Forwarded-User": "bob", "Cookie": f"user={bob}"}
    body = AgUiClient(world.http).body("hello", forwardedProps=claimed, state=claimed, **claimed)
    body["messages"][0] |= {"name": "bob", "metadata": claimed}
    thread = body["threadId"] = str(uuid4())
    asked = await world.http.post(
        "/v1/agent-chat?user=bob&userId=" + str(bob),
        json=body,
        headers={**alice, "Accept": "application/json"},
    )
    assert asked.status_code == 200, asked.text
    made = await world.http.post(
        SESSIONS, json={"title": "mine"}, params={"user_id": str(bob)}, headers=alice
    )
    assert made.status_code == 201

    async with world.database.read() as tx:
        for table in ("sessions", "runs"):
            owners = await tx.exec_driver_sql(f"SELECT DISTINCT user_id FROM {table}")
            assert list(owners.scalars()) == [user_id_of("alice")], table
    assert (await world.http.get(f"{SESSIONS}/{thread}", headers=alice)).status_code == 200
    assert (await world.http.get(f"{SESSIONS}/{thread}", headers=bearer(bobs))).status_code == 404


async def test_the_last_use_of_a_key_is_stored_when_the_server_ends(world: World) -> None:
    key, _ = await world.made_key("ann")
    used_at = world.clock.now()
    assert await world.status(key) == 200
    await world.app.__aexit__(None, None, None)
    async with world.database.read() as tx:
        (record,) = await list_keys(tx, "ann", 10)
    assert record.last_used_at == used_at


async def test_a_local_server_without_its_local_user_asks_for_a_key(
    deployment: Deployment, database_url: str, database: Database
) -> None:
    settings = deployment.settings(database_url, auth={"local_user": False})
    app = RunningApp(settings)
    key = make_key()
    async with app, httpx.AsyncClient(base_url=app.base_url) as http:
        assert (await http.get(SESSIONS)).status_code == 401
        async with database.transaction() as tx:
            await insert_key(tx, key, principal_named("ann"), "", None)
        assert (await http.get(SESSIONS, headers=bearer(key))).status_code == 200
