"""Browsers on listed origins may read every answer; others none."""

from __future__ import annotations

import httpx
import pytest

from tests.api.fake import ALICE, ORIGIN, World

FOREIGN = "http://evil.example"
HEADERS = "authorization, content-type, last-event-id"


def _cases() -> list[tuple[str, str, dict[str, object], int]]:
    message = {"id": "m", "role": "user", "content": "hello"}
    turn = {"threadId": "t", "runId": "r", "messages": [message]}
    bug = {**turn, "messages": [{**message, "content": "bug"}]}
    return [
        ("POST", "/v1/agent-chat", {"json": turn}, 200),
        ("POST", "/v1/agent-chat", {"json": turn, "headers": {"Authorization": "x"}}, 401),
        ("POST", "/v1/agent-chat", {"json": {}}, 422),
        ("POST", "/v1/agent-chat", {"json": {**turn, "state": "x" * 30_000}}, 413),
        ("POST", "/v1/agent-chat", {"content": "x", "headers": {"Content-Type": "a/b"}}, 415),
        ("POST", "/v1/agent-chat", {"json": bug}, 500),
        ("GET", "/v1/agent-chat", {}, 405),
        ("GET", "/v1/nothing", {}, 404),
        ("GET", "/v1/sessions", {}, 200),
    ]


@pytest.mark.parametrize(("method", "path", "more", "status"), _cases())
@pytest.mark.parametrize("origin", [ORIGIN, FOREIGN, None])
async def test_every_answer_is_readable_from_listed_origins_only(
    client: httpx.AsyncClient,
    method: str,
    path: str,
    more: dict[str, object],
    status: int,
    origin: str | None,
) -> None:
    own = more.get("headers", {})
    assert isinstance(own, dict)
    headers = {**ALICE, **({"Origin": origin} if origin else {}), **own}
    answer = await client.request(method, path, **{**more, "headers": headers})  # type: ignore[arg-type]
    assert answer.status_code == status
    assert answer.headers["vary"] == "Origin"
    if origin == ORIGIN:
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert answer.headers["access-control-allow-credentials"] == "true"
        exposed = answer.headers["access-control-expose-headers"]
        assert {"X-Session-Id", "X-Run-Id", "X-Trace-Id"} <= set(exposed.split(", "))
    else:
        assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_preflight_from_a_listed_origin_allows_what_clients_send(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.options(
        "/v1/agent-chat",
        headers={
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": HEADERS,
            "Authorization": "",
        },
    )
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    allowed = {
        name.strip().lower() for name in answer.headers["access-control-allow-headers"].split(",")
    }
    assert set(HEADERS.split(", ")) <= allowed
    document = (await client.get("/openapi.json", headers=ALICE)).json()
    offered = {method.upper() for path in document["paths"].values() for method in path}
    assert offered <= set(answer.headers["access-control-allow-methods"].split(", "))


async def test_a_preflight_from_elsewhere_allows_nothing(
    client: httpx.AsyncClient, world: World
) -> None:
    answer = await client.options(
        "/v1/agent-chat",
        headers={"Origin": FOREIGN, "Access-Control-Request-Method": "POST"},
    )
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert world.chat.asked == []
