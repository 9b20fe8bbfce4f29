"""What only a real socket shows: the Host header, pings, viewers who leave."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
import pytest

from tests.agui.frames import read_frames
from tests.api.fake import ALICE, OPTIONS, World
from tests.api.live import local_options, serve

HELLO = {
    "threadId": "t",
    "runId": "r",
    "messages": [{"id": "m", "role": "user", "content": "hello"}],
}
WAIT = {**HELLO, "messages": [{"id": "m", "role": "user", "content": "wait"}]}


def ask(
    address: str, method: str, path: str, headers: dict[str, str], body: bytes | None = None
) -> tuple[int, dict[str, str], bytes]:
    """One request with exactly these headers."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        length = {"Content-Length": str(len(body))} if body is not None else {}
        for name, value in {**headers, **length}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_a_keyless_server_answers_only_to_itself() -> None:
    world = World()
    body = json.dumps(HELLO).encode()
    with serve(world, local_options()) as address:
        own = urlsplit(address).netloc
        port = own.rpartition(":")[2]
        json_type = {"Content-Type": "application/json", **ALICE}

        def post(**headers: str) -> int:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return ask(address, "POST", "/v1/agent-chat", {**json_type, **named}, body)[0]

        assert post(Host=own) == 200
        assert post(Host=f"localhost:{port}", Origin=f"http://localhost:{port}") == 200
        assert post(Host=own, Origin="http://app.example:3000") == 200
        assert len(world.chat.asked) == 3
        assert post(Host="evil.example") == 403
        assert post(Host=f"evil.example:{port}") == 403
        assert post(Host="localhost") == 403
        assert post(Host=own, Origin="http://evil.example") == 403
        assert post(Host=own, Origin="null") == 403
        assert post(Host=own, Content_Type="text/plain") == 415
        assert post(Host=own, Content_Type="application/x-www-form-urlencoded") == 415
        assert len(world.chat.asked) == 3
        for path in ("/", "/v1/sessions", "/v1/models", "/openapi.json"):
            assert ask(address, "GET", path, {"Host": "evil.example", **ALICE})[0] == 403
            assert ask(address, "GET", path, {"Host": own, **ALICE})[0] == 200
        status, headers, text = ask(address, "GET", "/v1/sessions", {"Host": "evil.example"})
        assert status == 403
        assert headers["content-type"] == "application/problem+json"
        assert json.loads(text)["code"] == "host_not_allowed"
        assert ask(address, "GET", "/health/live", {"Host": "10.0.0.7"})[0] == 200


def test_two_names_in_one_request_are_no_name() -> None:
    with serve(World(), local_options()) as address:
        where = urlsplit(address)
        for second in (where.netloc, "evil.example"):
            head = f"GET /v1/models HTTP/1.1\r\nHost: {where.netloc}\r\nHost: {second}\r\n"
            with socket.create_connection((where.hostname, where.port), timeout=10) as raw:
                raw.sendall(f"{head}Connection: close\r\n\r\n".encode())
                assert raw.recv(100).split(b" ")[1] in (b"403", b"400")


async def test_silence_is_filled_with_comments_and_the_rest_follows() -> None:
    world = World()
    with serve(world) as address:
        async with (
            httpx.AsyncClient(base_url=address, headers=ALICE, timeout=10) as client,
            client.stream("POST", "/v1/agent-chat", json=WAIT) as answer,
        ):
            data = b""
            async for piece in answer.aiter_bytes():
                data += piece
                if data.count(b": ping\n\n") == 2:
                    world.chat.go_on.set()
        frames = read_frames(data)
    assert data.count(b": ping\n\n") >= 2
    assert [frames[0][1]["type"], frames[-1][1]["type"]] == ["RUN_STARTED", "RUN_FINISHED"]


async def test_a_viewer_who_leaves_is_let_go_at_once() -> None:
    world = World()
    with serve(world) as address:
        async with httpx.AsyncClient(base_url=address, headers=ALICE, timeout=10) as client:
            async with client.stream("POST", "/v1/agent-chat", json=WAIT) as answer:
                await anext(answer.aiter_bytes())
                assert not world.chat.closed.is_set()
            async with asyncio.timeout(5):
                while not world.chat.closed.is_set():
                    await asyncio.sleep(0.01)


async def test_events_arrive_while_the_run_goes_on() -> None:
    world = World()
    with serve(world) as address:
        async with (
            httpx.AsyncClient(base_url=address, headers=ALICE, timeout=10) as client,
            client.stream("POST", "/v1/agent-chat", json=WAIT) as answer,
        ):
            first = await anext(answer.aiter_bytes())
            assert b"RUN_STARTED" in first
            world.chat.go_on.set()


@pytest.mark.parametrize("size", [1_500_000, 20_000_000])
def test_a_body_over_the_limit_is_refused_quickly(size: int) -> None:
    with serve(World()) as address, httpx.Client(base_url=address, timeout=10) as client:
        answer = client.post(
            "/v1/agent-chat",
            content=b" " * size,
            headers={**ALICE, "Content-Type": "application/json"},
        )
    assert answer.status_code == 413
    assert answer.json()["limit"] == OPTIONS.max_body_bytes
    assert answer.elapsed.total_seconds() < 2


def test_a_body_that_does_not_come_is_not_waited_for_for_ever() -> None:
    with serve(World(), replace(OPTIONS, body_within_s=0.2)) as address:
        parts = urlsplit(address)
        with socket.create_connection((parts.hostname or "", parts.port or 0), 10) as client:
            client.sendall(
                f"POST /v1/agent-chat HTTP/1.1\r\nHost: {parts.netloc}\r\n"
                f"Authorization: {ALICE['Authorization']}\r\n"
                'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"threadId"'.encode()
            )
            answer = b""
            while b"body_too_slow" not in answer and (piece := client.recv(10_000)):
                answer += piece
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"body_too_slow" in answer


async def test_a_silent_run_outlives_the_time_for_its_body() -> None:
    world = World()
    with serve(world, replace(OPTIONS, body_within_s=0.1)) as address:
        async with (
            httpx.AsyncClient(base_url=address, headers=ALICE, timeout=10) as client,
            client.stream("POST", "/v1/agent-chat", json=WAIT) as answer,
        ):
            await asyncio.sleep(0.3)
            world.chat.go_on.set()
            frames = read_frames(await answer.aread())
    assert frames[-1][1]["type"] == "RUN_FINISHED"
