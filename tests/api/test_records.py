"""Sessions, messages, runs and the catalog over HTTP; another user's are not there."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest

from callsheet.auth.principal import principal_named
from callsheet.kit.ids import resolve_id
from tests.api.fake import BOB, World
from tests.api.fake_records import a_message, a_run

ALICE_USER = principal_named("alice")


async def created(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    answer = await client.post("/v1/sessions", json=fields)
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


async def test_a_session_is_made_read_renamed_and_deleted(client: httpx.AsyncClient) -> None:
    made = await created(client, title="  My\n title ")
    path = f"/v1/sessions/{made['id']}"
    assert made == {
        "id": made["id"],
        "title": "My title",
        "status": "pending",
        "lastActivityAt": "2026-11-30T12:00:00Z",
        "messageCount": 0,
        "totalTokens": 0,
        "totalCost": "0",
        "pinnedAt": None,
        "mode": "full",
        "persona": None,
        "budget": None,
        "createdAt": "2026-11-30T12:00:00Z",
        "updatedAt": "2026-11-30T12:00:00Z",
    }
    assert (await client.get(path)).json() == made
    assert (await client.patch(path, json={"title": "Other"})).json()["title"] == "Other"
    assert (await client.delete(path)).status_code == 204
    assert (await client.get(path)).status_code == 404


async def test_a_session_has_the_name_that_its_client_gave(client: httpx.AsyncClient) -> None:
    made = await created(client, id="my thread")
    assert made["id"] == str(resolve_id("my thread", ALICE_USER.user_id, "session"))
    assert (await created(client, id="my thread"))["id"] == made["id"]
    assert (await client.get("/v1/sessions/my%20thread")).json()["id"] == made["id"]


async def test_sessions_come_in_pages_and_the_recent_one_alone(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/sessions/recent")).status_code == 404
    made = [(await created(client))["id"] for _ in range(3)]
    first = (await client.get("/v1/sessions", params={"limit": 2})).json()
    rest = (
        await client.get("/v1/sessions", params={"limit": 2, "cursor": first["nextCursor"]})
    ).json()
    assert [each["id"] for each in first["items"] + rest["items"]] == made[::-1]
    assert rest["nextCursor"] is None
    assert (await client.get("/v1/sessions/recent")).json()["id"] == made[-1]


async def test_messages_show_what_they_cost_and_can_be_deleted(
    client: httpx.AsyncClient, world: World
) -> None:
    session = resolve_id((await created(client))["id"], ALICE_USER.user_id, "session")
    world.sessions.messages_of[session] = [a_message(session, 2), a_message(session, 5)]
    path = f"/v1/sessions/{session}/messages"
    shown = (await client.get(path)).json()
    assert shown["items"][0] == {
        "id": shown["items"][0]["id"],
        "sessionId": str(session),
        "seq": 2,
        "role": "assistant",
        "content": "Answer 2",
        "modelCode": "qwen3.5-flash",
        "toolName": None,
        "inputTokens": 60,
        "outputTokens": 15,
        "cost": "0.000062",
        "currency": "USD",
        "latencyMs": 412,
        "metadata": {"stage": "organization", "visible": True, "status": "final"},
        "createdAt": "2026-11-30T12:00:00Z",
    }
    gone = shown["items"][0]["id"]
    assert (await client.delete(f"{path}/{gone}")).status_code == 204
    assert (await client.delete(f"{path}/{gone}")).status_code == 404
    assert [each["seq"] for each in (await client.get(path)).json()["items"]] == [5]


async def test_a_run_is_read_and_stopped(client: httpx.AsyncClient, world: World) -> None:
    run = a_run(ALICE_USER, uuid4())
    world.runs.runs[run.id] = run
    before = (await client.get(f"/v1/runs/{run.id}")).json()
    assert (before["status"], before["usage"], before["error"]) == ("running", [], None)
    assert before["threadId"] == "my thread"
    stopped = await client.post(f"/v1/runs/{run.id}/cancel")
    again = await client.post(f"/v1/runs/{run.id}/cancel")
    assert stopped.status_code == 200
    assert stopped.json() == again.json()
    assert stopped.json()["status"] == "cancelled"
    assert stopped.json()["cost"] == "0.000124"


async def test_a_sessions_runs_are_listed_and_its_active_one_is_stopped(
    client: httpx.AsyncClient, world: World
) -> None:
    run = a_run(ALICE_USER, uuid4())
    world.runs.runs[run.id] = run
    path = f"/v1/sessions/{run.session_id}"
    listed = (await client.get(f"{path}/runs")).json()
    assert [each["id"] for each in listed["items"]] == [str(run.id)]
    assert (await client.post(f"{path}/cancel")).json()["run"]["status"] == "cancelled"
    assert (await client.post(f"{path}/cancel")).json() == {"run": None}


async def test_another_users_things_are_not_there(client: httpx.AsyncClient, world: World) -> None:
    made = await created(client, id="shared name")
    session = resolve_id(made["id"], ALICE_USER.user_id, "session")
    world.sessions.messages_of[session] = [a_message(session, 1)]
    message = world.sessions.messages_of[session][0].id
    run = a_run(ALICE_USER, session)
    world.runs.runs[run.id] = run
    for method, path, body in [
        ("GET", f"/v1/sessions/{session}", None),
        ("GET", "/v1/sessions/shared%20name", None),
        ("PATCH", f"/v1/sessions/{session}", {"title": "mine"}),
        ("DELETE", f"/v1/sessions/{session}", None),
        ("GET", f"/v1/sessions/{session}/messages", None),
        ("DELETE", f"/v1/sessions/{session}/messages/{message}", None),
        ("GET", f"/v1/sessions/{session}/runs", None),
        ("POST", f"/v1/sessions/{session}/cancel", None),
        ("GET", f"/v1/runs/{run.id}", None),
        ("POST", f"/v1/runs/{run.id}/cancel", None),
        ("POST", "/v1/sessions", {"id": str(session)}),
    ]:
        answer = await client.request(method, path, json=body, headers=BOB)
        assert answer.status_code == 404, path
        assert answer.json()["code"] == "not_found"
    assert (await client.get("/v1/sessions", headers=BOB)).json()["items"] == []
    assert (await client.get("/v1/sessions/recent", headers=BOB)).status_code == 404
    assert world.runs.runs[run.id].status == "running"


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/v1/sessions", {"title": ""}, "title"),
        ("POST", "/v1/sessions", {"title": "x" * 256}, "title"),
        ("POST", "/v1/sessions", {"title": 5}, "title"),
        ("POST", "/v1/sessions", {"titel": "x"}, "titel"),
        ("POST", "/v1/sessions", {"id": ""}, "id"),
        ("POST", "/v1/sessions", {"id": "x" * 201}, "id"),
        ("POST", "/v1/sessions", [], ""),
        ("PATCH", "/v1/sessions/x", {"title": " \u200a"}, "title"),
        ("GET", "/v1/sessions?limit=0", None, "limit"),
        ("GET", "/v1/sessions?limit=201", None, "limit"),
        ("GET", "/v1/sessions?limit=many", None, "limit"),
        ("GET", "/v1/sessions?limit=-1", None, "limit"),
        ("GET", "/v1/sessions/x/messages?limit=1e2", None, "limit"),
    ],
)
async def test_a_wrong_value_is_refused_by_field(
    client: httpx.AsyncClient, method: str, path: str, body: Any, field: str
) -> None:
    answer = await client.request(method, path, json=body)
    assert answer.status_code == 422
    assert answer.json()["field"] == field
    assert answer.json()["code"] == "invalid"


async def test_an_unknown_path_or_method_is_a_problem_document(client: httpx.AsyncClient) -> None:
    missing, wrong = await client.get("/v1/nothing"), await client.get("/v1/agent-chat")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"
    for path in ("/v1/runs/" + "x" * 201, "/v1/sessions/%0a"):
        assert (await client.get(path)).json()["code"] == "not_found"


async def test_models_show_no_secret_and_no_address(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/models")
    assert answer.json()["items"] == [
        {
            "modelCode": "qwen3.5-flash",
            "factory": "qwen",
            "contextWindowTokens": 32768,
            "maxOutputTokens": 4096,
            "seesImages": False,
            "nativeTools": True,
            "isRehearsal": False,
        }
    ]
    assert "secret" not in answer.text


async def test_workflows_tell_what_is_wrong_with_an_edit(client: httpx.AsyncClient) -> None:
    answer = (await client.get("/v1/workflows")).json()
    assert answer["default"] == "chat"
    assert answer["items"][0]["stages"][0]["agents"][0]["model"] == "qwen3.5-flash"
    assert answer["problems"] == [
        {
            "file": "crews/chat/agents.yaml",
            "line": 3,
            "column": 5,
            "message": "unknown key 'rol'",
            "suggestion": "role",
        }
    ]


async def test_a_wrong_method_is_told_all_that_the_path_takes(client: httpx.AsyncClient) -> None:
    answer = await client.put("/v1/sessions", json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert answer.json()["code"] == "method_not_allowed"
    assert (await client.post("/health/live")).headers["allow"] == "GET, HEAD"
