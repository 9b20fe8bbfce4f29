"""Which tools there are, over HTTP; another user's session is not there."""

from __future__ import annotations

import httpx
import pytest

from callsheet.auth.principal import principal_named
from tests.api.fake import BOB, World
from tests.api.fake_tools import PARAMETERS

CALCULATOR = {
    "name": "calculator",
    "label": "Calculator",
    "group": "compute",
    "summary": "Computes.",
    "description": "For the model.",
    "origin": "builtin",
    "owner": "callsheet",
    "ownName": None,
    "policy": "allow",
    "available": True,
    "reason": None,
    "requiresApproval": False,
    "sideEffect": None,
    "idempotent": True,
    "parameters": PARAMETERS,
}


async def test_every_tool_is_listed_with_all_that_is_known_of_it(
    client: httpx.AsyncClient,
) -> None:
    calculator, mail, spare = (await client.get("/v1/tools")).json()["items"]
    assert calculator == CALCULATOR
    assert (mail["policy"], mail["available"], mail["reason"]) == ("ask", False, "no server")
    assert (mail["requiresApproval"], mail["sideEffect"]) == (True, "A mail is sent.")
    assert (mail["origin"], mail["owner"], mail["label"]) == ("plugin", "acme-tools", "mail")
    assert (spare["policy"], spare["available"]) == (None, True)


@pytest.mark.parametrize(
    ("language", "label"), [("zh", "计算器"), ("zh-TW", "计算器"), ("fr", "Calculator")]
)
async def test_labels_come_in_the_language_that_is_asked_for(
    client: httpx.AsyncClient, language: str, label: str
) -> None:
    answer = await client.get("/v1/tools", params={"language": language})
    assert answer.json()["items"][0]["label"] == label


@pytest.mark.parametrize("query", ["language=", "language=..%2f", "language=en&language=zh", "q=x"])
async def test_a_wrong_parameter_is_named(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/v1/tools?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert answer.json()["field"] in ("language", "q")


async def test_a_session_has_the_tools_of_its_workflow(
    client: httpx.AsyncClient, world: World
) -> None:
    session = await world.sessions.create(principal_named("alice"), None, None)
    path = f"/v1/sessions/{session.id}/tools"
    assert (await client.get(path)).json() == {"workflow": "chat", "items": [CALCULATOR]}
    in_chinese = await client.get(path, params={"language": "zh", "workflow": "chat"})
    assert in_chinese.json()["items"][0]["label"] == "计算器"
    unknown = await client.get(path, params={"workflow": "other"})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_workflow")
    other = await client.get(path, headers=BOB)
    assert (other.status_code, other.json()["code"]) == (404, "not_found")
    assert (await client.get(path, params={"wokflow": "chat"})).json()["field"] == "wokflow"


async def test_nobody_unknown_is_told_of_tools(client: httpx.AsyncClient) -> None:
    client.headers.pop("Authorization")
    assert (await client.get("/v1/tools")).status_code == 401
    assert (await client.get("/v1/sessions/any/tools")).status_code == 401
