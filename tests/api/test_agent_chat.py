"""A turn over HTTP: as a stream, as one document, and what is said where it cannot be."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from callsheet.kit.ids import resolve_id
from tests.agui.frames import check_event, read_frames
from tests.api.fake import World

JSON_ONLY = {"Accept": "application/json"}


def asking(text: str = "17*23?", **more: Any) -> dict[str, Any]:
    message = {"id": "m1", "role": "user", "content": text}
    return {"threadId": "my thread", "runId": "my run", "messages": [message], **more}


async def post(
    client: httpx.AsyncClient, text: str, path: str = "/v1/agent-chat", **headers: str
) -> httpx.Response:
    return await client.post(path, json=asking(text, protocolVersion="1.0"), headers=headers)


async def test_a_turn_streams_as_frames_the_client_reads(
    client: httpx.AsyncClient, world: World
) -> None:
    answer = await post(client, "hello")
    [(principal, workflow, asked, trace_id)] = world.chat.asked
    frames = read_frames(answer.content)
    for _, event in frames:
        check_event(event)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-length" not in answer.headers
    assert frames[0][1]["threadId"] == "my thread"
    assert frames[-1][1]["type"] == "RUN_FINISHED"
    assert (principal.name, workflow, asked.text) == ("alice", None, "hello")
    assert answer.headers["x-session-id"] == str(asked.session_id)
    assert asked.session_id == resolve_id("my thread", principal.user_id, "session")
    assert answer.headers["x-run-id"] == str(asked.run_id)
    assert answer.headers["x-trace-id"] == trace_id
    assert all(e["metadata"]["callsheet"]["traceId"] == trace_id for _, e in frames)


async def test_a_workflow_is_named_in_the_path(client: httpx.AsyncClient, world: World) -> None:
    assert (await post(client, "hello", "/v1/agent-chat/chat")).status_code == 200
    assert world.chat.asked[0][1] == "chat"
    missing = await post(client, "hello", "/v1/agent-chat/other")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_one_json_document_at_the_end(client: httpx.AsyncClient) -> None:
    answer = await post(client, "hello", **JSON_ONLY)
    document = answer.json()
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert document["status"] == "succeeded"
    assert document["sessionId"] == answer.headers["x-session-id"]
    assert document["runId"] == answer.headers["x-run-id"]
    assert document["threadId"] == "my thread"
    assert document["message"]["content"] == "You said hello - 391."
    assert document["message"]["role"] == "assistant"
    assert document["message"]["metadata"]["callsheet"]["cost"] == "0.000001"
    assert (document["cost"], document["currency"]) == ("0.000124", "USD")
    assert [entry["totalTokens"] for entry in document["usage"]] == [150, 50]


async def test_a_document_tells_how_a_run_failed(client: httpx.AsyncClient) -> None:
    document = (await post(client, "fail", **JSON_ONLY)).json()
    assert document["status"] == "failed"
    assert document["error"] == {
        "code": "provider_error",
        "message": "The provider answered 503.",
    }
    assert document["message"]["content"] == "17 x"
    assert document["cost"] == "0.000063"


async def test_a_document_tells_that_a_run_was_stopped(client: httpx.AsyncClient) -> None:
    document = (await post(client, "stop", **JSON_ONLY)).json()
    assert (document["status"], document["reason"]) == ("cancelled", "user")


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/event-stream", "text/event-stream"),
        ("*/*", "text/event-stream"),
        ("application/json, text/event-stream", "text/event-stream"),
        ("application/json;q=0.9, text/plain", "application/json"),
    ],
)
async def test_the_stream_is_the_rule(client: httpx.AsyncClient, accept: str, kind: str) -> None:
    answer = await post(client, "hello", Accept=accept)
    assert answer.headers["content-type"].startswith(kind)


@pytest.mark.parametrize(
    ("text", "code"),
    [("break", "unavailable"), ("crash", "internal"), ("short", "interrupted")],
)
async def test_a_stream_that_breaks_ends_with_an_error_event(
    client: httpx.AsyncClient, text: str, code: str
) -> None:
    answer = await post(client, text)
    frames = read_frames(answer.content)
    assert frames[-1][1]["type"] == "RUN_ERROR"
    assert frames[-1][1]["code"] == code
    assert "secret" not in answer.text
    assert sum(event["type"].startswith("RUN_") for _, event in frames) == 2


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("busy", 409, "conflict"),
        ("often", 429, "rate_limited"),
        ("away", 503, "unavailable"),
        ("bug", 500, "internal"),
    ],
)
async def test_what_refuses_a_turn_is_a_problem_document(
    client: httpx.AsyncClient, text: str, status: int, code: str
) -> None:
    answer = await post(client, text)
    problem = answer.json()
    assert answer.status_code == problem["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["code"] == code
    assert problem["traceId"] == answer.headers["x-trace-id"]
    assert "secret" not in answer.text


async def test_a_conflict_names_the_run_and_a_rate_says_when(client: httpx.AsyncClient) -> None:
    busy = await post(client, "busy")
    assert str(UUID(busy.json()["runId"])) == busy.json()["runId"]
    assert (await post(client, "often")).headers["retry-after"] == "3"


@pytest.mark.parametrize(
    ("sent", "status", "field"),
    [
        (b"{", 422, ""),
        (b'{"threadId":1}', 422, "threadId"),
        (b'{"threadId":"t","runId":"r","messages":[1]}', 422, "messages/0"),
        (b'{"threadId":"t","runId":"r","messages":[],"state":NaN}', 422, ""),
    ],
)
async def test_a_wrong_request_names_its_field(
    client: httpx.AsyncClient, world: World, sent: bytes, status: int, field: str
) -> None:
    answer = await client.post(
        "/v1/agent-chat", content=sent, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == status
    assert answer.json()["field"] == field
    assert world.chat.asked == []


async def test_a_message_and_a_body_have_limits_of_their_own(client: httpx.AsyncClient) -> None:
    long = await client.post("/v1/agent-chat", json=asking("x" * 1001))
    large = await client.post("/v1/agent-chat", json=asking(state="x" * 20_000))
    assert (long.status_code, long.json()["limit"]) == (413, 1_000)
    assert long.json()["field"] == "messages/0/content"
    assert (large.status_code, large.json()["limit"]) == (413, 20_000)


async def test_a_body_without_a_length_is_cut_at_the_limit(
    client: httpx.AsyncClient, world: World
) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        while sent < 1_000_000:
            sent += 1_000
            yield b" " * 1_000

    answer = await client.post(
        "/v1/agent-chat", content=endless(), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413
    assert sent < 30_000
    assert world.chat.asked == []


@pytest.mark.parametrize("key", ["", "Bearer sk-wrong", "Basic c2stYWxpY2U="])
async def test_without_a_known_key_nothing_starts(
    client: httpx.AsyncClient, world: World, key: str
) -> None:
    for method, path in [
        ("POST", "/v1/agent-chat"),
        ("GET", "/v1/agent-chat/chat/capabilities"),
        ("GET", f"/v1/runs/{uuid4()}"),
        ("POST", f"/v1/runs/{uuid4()}/cancel"),
        ("GET", "/v1/sessions"),
        ("POST", "/v1/sessions"),
        ("GET", "/v1/sessions/recent"),
        ("DELETE", f"/v1/sessions/{uuid4()}"),
        ("GET", f"/v1/sessions/{uuid4()}/messages"),
        ("GET", "/v1/models"),
        ("GET", "/v1/workflows"),
    ]:
        answer = await client.request(method, path, headers={"Authorization": key})
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
    assert world.chat.asked == []


async def test_a_callers_trace_goes_on(client: httpx.AsyncClient) -> None:
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    one = await post(client, "hello", traceparent=parent)
    other = await post(client, "hello", **{"X-Trace-Id": "caller-trace-1"})
    odd = await post(client, "hello", **{"X-Trace-Id": "no spaces, please"})
    assert one.headers["x-trace-id"] == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert other.headers["x-trace-id"] == "caller-trace-1"
    assert re.fullmatch("[0-9a-f]{32}", odd.headers["x-trace-id"])


async def test_capabilities_are_the_protocols_and_claim_what_is_there(
    client: httpx.AsyncClient,
) -> None:
    from ag_ui.core import AgentCapabilities

    answer = (await client.get("/v1/agent-chat/chat/capabilities")).json()
    parsed = AgentCapabilities.model_validate(answer)
    assert parsed.model_dump(mode="json", by_alias=True, exclude_none=True) == answer
    assert set(answer) <= {
        field.alias or name for name, field in parsed.__pydantic_fields__.items()
    }
    assert answer["multiAgent"]["subagents"] == [{"name": "router", "description": "Router"}]
    assert answer["transport"] == {
        "streaming": True,
        "websocket": False,
        "httpBinary": False,
        "pushNotifications": False,
        "resumable": True,
    }
    missing = await client.get("/v1/agent-chat/other/capabilities")
    assert missing.status_code == 404
