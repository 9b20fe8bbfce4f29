"""The OpenAPI document says what the server does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.auth.principal import principal_named
from tests.api.fake import World
from tests.api.fake_records import a_message, a_run
from tests.todos.lists import todo

# Streams and files have no document.
NOT_JSON = ("text/event-stream", "text/csv", "application/x-ndjson", "*/*")


@pytest.fixture
async def document(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/openapi.json")).json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def fits(document: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    Draft202012Validator({**schema, "components": document["components"]}).validate(value)


async def test_every_json_document_has_a_name(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        for status, answer in operation["responses"].items():
            for kind, content in answer.get("content", {}).items():
                named = "$ref" in content.get("schema", {}) or kind in NOT_JSON
                assert named or path.endswith("capabilities"), (path, method, status)
    references = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert references <= set(document["components"]["schemas"])
    assert not {"HTTPValidationError", "ValidationError"} & references


async def test_operations_have_short_names_of_their_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == len(names)
    assert {"sessions_list", "runs_cancel", "agent_chat_chat"} <= set(names)


async def test_every_key_is_camel_case(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for key in schema.get("properties", {}):
            assert re.fullmatch(r"[a-z][a-zA-Z0-9]*", key), (name, key)


async def test_the_answers_are_the_documented_ones(
    client: httpx.AsyncClient, world: World, document: dict[str, Any]
) -> None:
    alice = principal_named("alice")
    session = await world.sessions.create(alice, None, "Told")
    world.sessions.messages_of[session.id] = [a_message(session.id, 1), a_message(session.id, 2)]
    run = a_run(alice, session.id)
    world.runs.runs[run.id] = run
    turn = {
        "threadId": "t",
        "runId": "r",
        "messages": [{"id": "m", "role": "user", "content": "x"}],
    }
    world.todos.of[session.id] = replace(todo(">look", "-write"), session_id=session.id)
    sessions, message = "/v1/sessions", world.sessions.messages_of[session.id][0].id
    one = f"{sessions}/{session.id}"
    asked: list[tuple[str, str, str, Any, int]] = [
        ("GET", sessions, sessions, None, 200),
        ("POST", sessions, sessions, {"title": "New"}, 201),
        ("POST", sessions, sessions, {"title": 5}, 422),
        ("GET", f"{sessions}/recent", f"{sessions}/recent", None, 200),
        ("GET", f"{sessions}/{{session_id}}", one, None, 200),
        ("GET", f"{sessions}/{{session_id}}", f"{sessions}/other", None, 404),
        ("PATCH", f"{sessions}/{{session_id}}", one, {"title": "T"}, 200),
        ("POST", f"{sessions}/{{session_id}}/title", f"{one}/title", None, 200),
        ("GET", f"{sessions}/{{session_id}}/messages", f"{one}/messages?limit=1", None, 200),
        ("GET", f"{sessions}/{{session_id}}/connect", f"{sessions}/other/connect", None, 404),
        ("GET", f"{sessions}/{{session_id}}/runs", f"{one}/runs", None, 200),
        ("POST", f"{sessions}/{{session_id}}/cancel", f"{one}/cancel", None, 200),
        ("GET", "/v1/runs/{run_id}", f"/v1/runs/{run.id}", None, 200),
        ("GET", f"{sessions}/{{session_id}}/artifacts", f"{one}/artifacts", None, 200),
        ("GET", f"{sessions}/{{session_id}}/todo-list", f"{one}/todo-list", None, 200),
        ("GET", f"{sessions}/{{session_id}}/todo-list", f"{sessions}/x/todo-list", None, 404),
        ("GET", "/v1/artifacts/{artifact_id}", "/v1/artifacts/none", None, 404),
        ("GET", "/v1/interrupts", "/v1/interrupts", None, 200),
        ("GET", "/v1/interrupts/{interrupt_id}", "/v1/interrupts/none", None, 404),
        ("POST", "/v1/runs/{run_id}/cancel", f"/v1/runs/{run.id}/cancel", None, 200),
        ("POST", "/v1/runs/{run_id}/continue", "/v1/runs/none/continue", {}, 404),
        ("GET", "/v1/runs/{run_id}/events", f"/v1/runs/{run.id}/events?after=x", None, 422),
        ("GET", "/v1/models", "/v1/models", None, 200),
        ("GET", "/v1/workflows", "/v1/workflows", None, 200),
        ("GET", "/v1/tools", "/v1/tools", None, 200),
        ("GET", f"{sessions}/{{session_id}}/tools", f"{one}/tools", None, 200),
        ("GET", "/v1/prices", "/v1/prices", None, 200),
        ("POST", "/v1/prices", "/v1/prices", {}, 403),
        ("GET", "/v1/prices/{factory}/{model}", "/v1/prices/qwen/other", None, 404),
        ("GET", "/v1/usage/today", "/v1/usage/today", None, 200),
        ("GET", "/v1/usage/recent", "/v1/usage/recent", None, 200),
        ("GET", "/v1/usage/report", "/v1/usage/report?by=day,model", None, 200),
        ("GET", "/v1/usage/report", "/v1/usage/report?by=colour", None, 422),
        ("GET", "/v1/usage/quota", "/v1/usage/quota", None, 200),
        ("GET", "/v1/usage/quota", "/v1/usage/quota?user=bob", None, 404),
        ("PUT", "/v1/usage/quota", "/v1/usage/quota", {}, 403),
        ("GET", "/health/billing", "/health/billing", None, 200),
        ("GET", "/health/live", "/health/live", None, 200),
        ("GET", "/health/ready", "/health/ready", None, 200),
        ("POST", "/v1/agent-chat", "/v1/agent-chat", turn, 200),
        ("POST", "/v1/agent-chat", "/v1/agent-chat", {"threadId": 1}, 422),
        (
            "DELETE",
            f"{sessions}/{{session_id}}/messages/{{message_id}}",
            f"{one}/messages/{message}",
            None,
            204,
        ),
        ("DELETE", f"{sessions}/{{session_id}}", one, None, 204),
    ]
    for method, path, address, body, status in asked:
        answer = await client.request(
            method, address, json=body, headers={"Accept": "application/json"}
        )
        assert answer.status_code == status, (method, address, answer.text)
        documented = document["paths"][path][method.lower()]["responses"][str(status)]
        if status != 204:
            kind = answer.headers["content-type"]
            fits(document, documented["content"][kind]["schema"], answer.json())
    assert {(path, method) for path, method, _ in operations(document)} - {
        (path, method.lower()) for method, path, *_ in asked
    } == {
        ("/v1/agent-chat/{workflow}", "post"),  # the same as the one without a name
        ("/v1/agent-chat/{workflow}/capabilities", "get"),  # AG-UI's own document
        ("/v1/usage/export", "get"),  # a file
    }


async def test_no_page_loads_scripts_from_elsewhere(client: httpx.AsyncClient) -> None:
    assert [(await client.get(path)).status_code for path in ("/docs", "/redoc")] == [404, 404]


async def test_it_says_how_to_call_with_a_key_or_token(
    client: httpx.AsyncClient, document: dict[str, Any]
) -> None:
    scheme = document["components"]["securitySchemes"]["key"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert document["security"] == [{"key": []}, {}]
    client.headers.pop("Authorization")
    answer = await client.get("/v1/sessions")
    assert answer.headers["www-authenticate"].lower() == scheme["scheme"]
    for path, _, operation in operations(document):
        assert ("401" in operation["responses"]) is path.startswith("/v1/"), path
