"""What only admins may do, by each way in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import jwt
import pytest

from callsheet.auth.key import make_key
from callsheet.auth.key_store import insert_key
from callsheet.auth.principal import principal_named
from callsheet.db.transaction import Database
from tests.fakes.deployment import Deployment
from tests.fakes.identity_provider import AUDIENCE, ISSUER, SECRET, claims
from tests.fakes.running_app import RunningApp

ADMINS_ONLY = "/metrics"
AUTH = {
    "api_keys": ["root:environment-admin-key", "ann:environment-key-of-ann"],
    "admins": ["root"],
    "jwt": {
        "secret": SECRET,
        "issuer": ISSUER,
        "audience": AUDIENCE,
        "admin_claim": "app_metadata.role",
        "admin_value": "operator",
    },
}


@pytest.fixture
async def http(deployment: Deployment, database_url: str) -> AsyncIterator[httpx.AsyncClient]:
    app = RunningApp(deployment.settings(database_url, auth=AUTH))
    async with app, httpx.AsyncClient(base_url=app.base_url, timeout=30) as client:
        yield client


async def ask(http: httpx.AsyncClient, token: str) -> httpx.Response:
    return await http.get(ADMINS_ONLY, headers={"Authorization": f"Bearer {token}"})


def token(**more: Any) -> str:
    return jwt.encode(claims(datetime.now(UTC), **more), SECRET, "HS256")


async def made(database: Database, name: str, *scopes: str) -> str:
    key = make_key()
    async with database.transaction() as tx:
        await insert_key(tx, key, principal_named(name, frozenset(scopes)), "", None)
    return key


async def test_the_scope_belongs_to_the_key_or_token_that_has_it(
    http: httpx.AsyncClient, database: Database
) -> None:
    admins = {
        "environment": "environment-admin-key",
        "made": await made(database, "ann", "admin"),
        "token": token(sub="ann", app_metadata={"role": "operator"}),
    }
    others = {
        "environment": "environment-key-of-ann",
        "made": await made(database, "root"),
        "no claim": token(sub="root"),
        "another value": token(sub="root", app_metadata={"role": "admin"}),
        "another claim": token(
            sub="root", user_metadata={"role": "operator"}, role="operator", scopes=["admin"]
        ),
    }
    for name, key in admins.items():
        assert (await ask(http, key)).status_code == 200, name
    for name, key in others.items():
        refused = await ask(http, key)
        assert refused.status_code == 403, name
        problem = refused.json()
        assert (problem["code"], problem["scope"]) == ("forbidden", "admin")
        assert (await http.get("/v1/sessions", headers=refused.request.headers)).status_code == 200


async def test_an_admin_does_not_see_other_users_sessions(http: httpx.AsyncClient) -> None:
    root = {"Authorization": "Bearer environment-admin-key"}
    ann = {"Authorization": "Bearer environment-key-of-ann"}
    session = (await http.post("/v1/sessions", json={}, headers=ann)).json()["id"]
    for path in ("", "/messages", "/runs"):
        address = f"/v1/sessions/{session}{path}"
        assert (await http.get(address, headers=ann)).status_code == 200
        assert (await http.get(address, headers=root)).status_code == 404


async def test_nobody_is_told_that_a_scope_is_missing_before_being_known(
    http: httpx.AsyncClient,
) -> None:
    assert (await http.get(ADMINS_ONLY)).status_code == 401
    assert (await ask(http, "no-key-of-anybody")).status_code == 401


async def test_the_local_user_is_an_admin(deployment: Deployment, database_url: str) -> None:
    app = RunningApp(deployment.settings(database_url))
    async with app, httpx.AsyncClient(base_url=app.base_url) as client:
        assert (await client.get(ADMINS_ONLY)).status_code == 200
