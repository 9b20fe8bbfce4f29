"""Users with keys, and what they may spend, for tests through HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.fakes.agui_client import AgUiClient, Turn

QUOTA = "/v1/usage/quota"
SCOPES = {"run": "run", "session": "session", "user_day": "userDay", "user_month": "userMonth"}
MEASURES = ("cost", "tokens", "calls")
USERS = [f"{scope}-{measure}" for scope in SCOPES for measure in MEASURES]
AUTH = {
    "api_keys": [
        f"{name}:key-of-{name}" for name in ("root", "meter", "ada", "eve", "enough", *USERS)
    ],
    "admins": ["root"],
}


@asynccontextmanager
async def client_of(base_url: Any, user: str) -> AsyncIterator[AgUiClient]:
    headers = {"Authorization": f"Bearer key-of-{user}"}
    async with httpx.AsyncClient(base_url=base_url, timeout=60, headers=headers) as http:
        yield AgUiClient(http)


async def ask(agui: AgUiClient, user: str, **more: Any) -> Turn:
    async with client_of(agui.http.base_url, user) as client:
        return await client.ask("hello", **more)


async def set_limits(base_url: Any, user: str, limits: Mapping[str, Any]) -> None:
    async with client_of(base_url, "root") as root:
        answer = await root.http.put(QUOTA, params={"user": user}, json=limits)
        assert answer.status_code == 200, answer.text
