"""Servers that are reached by streamable HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.mcp_process import RAW, HttpMcpServer, until
from tests.tools.mcp.running import http, using


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HttpMcpServer]:
    with HttpMcpServer(tmp_path / "http.jsonl", {"FAKE_NAME": "far"}) as running:
        yield running


@pytest.fixture(params=["json", "events"])
def raw(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[HttpMcpServer]:
    env = {"RAW_EVENTS": "1"} if request.param == "events" else {}
    with HttpMcpServer(tmp_path / "raw.jsonl", env, script=RAW) as running:
        yield running


async def test_a_tool_is_called_and_its_text_is_the_result(server: HttpMcpServer) -> None:
    async with using(http("far", server.url)) as use:
        assert "far__echo" in await use.ready("far__*")
        outcome = await use.call("far__echo", '{"text": "hi"}')
    assert (outcome.status, outcome.content) == ("ok", "far: hi")


async def test_a_server_that_was_killed_and_is_there_again_is_used_as_if_nothing_had_been(
    server: HttpMcpServer,
) -> None:
    async with using(http("far", server.url)) as use:
        await use.ready()
        call = asyncio.ensure_future(use.call("far__slow"))
        await until(lambda: server.log.asked("slow"))
        await asyncio.to_thread(server.kill)
        lost = await asyncio.wait_for(call, 20)

        down = await use.call("far__echo", '{"text": "x"}')
        assert await use.ready() == []

        await asyncio.to_thread(server.start)
        await until_offered(use)
        after = await use.call("far__echo", '{"text": "again"}')
    assert "nobody knows whether it was done" in lost.content
    assert "cannot be reached now and was not asked" in down.content
    assert (after.status, after.content) == ("ok", "far: again")
    assert len(server.log.asked("echo")) == 1


async def until_offered(use: object) -> None:
    for _ in range(400):
        if await use.ready():  # type: ignore[attr-defined]
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it was never there again")


async def test_a_session_that_the_server_has_forgotten_is_opened_anew_and_the_call_made_once(
    server: HttpMcpServer,
) -> None:
    async with using(http("far", server.url)) as use:
        await use.ready()
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        outcome = await use.call("far__echo", '{"text": "again"}')
    assert (outcome.status, outcome.content) == ("ok", "far: again")
    assert len(server.log.asked("echo")) == 1


async def test_a_server_that_goes_while_nothing_is_asked_of_it_is_seen_to_be_gone(
    server: HttpMcpServer,
) -> None:
    async with using(http("far", server.url)) as use:
        await use.ready()
        await until(lambda: any(line.get("http") == "GET" for line in server.log.lines()))
        await asyncio.to_thread(server.kill)
        await until(lambda: not use.mcp.standings()[0].is_open)
        assert await use.ready() == []


async def test_a_stopped_call_returns_at_once_and_the_server_is_told(
    server: HttpMcpServer,
) -> None:
    async with using(http("far", server.url)) as use:
        await use.ready()
        call = asyncio.ensure_future(use.call("far__slow"))
        await until(lambda: server.log.asked("slow"))
        call.cancel()
        done, _ = await asyncio.wait([call], timeout=2)
        assert done
        assert call.cancelled()
        await server.log.until(lambda lines: any(line.get("ended") == "slow" for line in lines))


async def test_a_list_that_changes_is_read_again(server: HttpMcpServer) -> None:
    async with using(http("far", server.url)) as use:
        await use.ready()
        assert "far__new" not in use.offered()
        await use.call("far__grow", '{"text": "new"}')
        await until(lambda: "far__new" in use.offered())
        assert (await use.call("far__new")).content == "far: new"


async def test_bytes_that_no_careful_server_sends_are_read_all_the_same(
    raw: HttpMcpServer,
) -> None:
    async with using(http("raw", raw.url, call_timeout_s=5)) as use:
        await use.ready()
        nan = await use.call("raw__nan")
        surrogate = await use.call("raw__surrogate")
        strange = await use.call("raw__strange")
        refused = await use.call("raw__refuse")
        busy = await use.call("raw__busy")
        cut = await use.call("raw__cut")
        nothing = await use.call("raw__nothing")
        garbage = await use.call("raw__garbage")
        after = await use.call("raw__plain")
    assert json.loads(nan.content) == {"a": None, "b": [None, 1]}
    assert surrogate.content == "cut \ufffd here"
    assert strange.content == "[hologram, not shown]\nseen"
    assert "text is missing" in refused.content
    assert "HTTP 503" in busy.content
    assert "nobody knows whether it was done" in cut.content
    assert nothing.status == "error"
    assert garbage.status == "error"
    assert json.loads(after.content) == [None, 1]


async def test_calls_beside_one_that_the_server_refuses_go_on(raw: HttpMcpServer) -> None:
    async with using(http("raw", raw.url)) as use:
        await use.ready()
        async with asyncio.TaskGroup() as group:
            good = [group.create_task(use.call("raw__plain")) for _ in range(5)]
            bad = [group.create_task(use.call("raw__busy")) for _ in range(5)]
    assert {task.result().status for task in good} == {"ok"}
    assert {task.result().status for task in bad} == {"error"}


async def test_an_answer_that_breaks_off_costs_no_other_call_anything(raw: HttpMcpServer) -> None:
    async with using(http("raw", raw.url, call_timeout_s=5)) as use:
        await use.ready()
        async with asyncio.TaskGroup() as group:
            broken = [group.create_task(use.call("raw__cut")) for _ in range(3)]
            good = [group.create_task(use.call("raw__late")) for _ in range(3)]
        assert use.mcp.standings()[0].is_open
    assert all("nobody knows" in task.result().content for task in broken)
    assert {task.result().content for task in good} == {"late"}


async def test_a_redirect_to_another_host_is_not_followed(server: HttpMcpServer) -> None:
    away = server.url.replace("/mcp/", f"/away?to=http://localhost:{server.port}/mcp/")
    async with using(http("far", away, headers={"Authorization": "Bearer of-this-host"})) as use:
        assert await use.ready() == []
    assert all(line.get("authorization") is None for line in server.log.lines())


async def test_a_redirect_within_the_host_is_followed(server: HttpMcpServer) -> None:
    async with using(http("far", server.url.replace("/mcp/", "/away?to=/mcp/"))) as use:
        assert "far__echo" in await use.ready()


async def test_a_server_that_does_not_know_us_is_down_and_says_so(tmp_path: Path) -> None:
    env = {"FAKE_SECRET": "the-right-one"}
    with HttpMcpServer(tmp_path / "log", env) as running:
        wrong = http("far", running.url, headers={"Authorization": "Bearer wrong"})
        right = http("near", running.url, headers={"Authorization": "Bearer the-right-one"})
        async with using(wrong, right) as use:
            offered = await use.ready()
            [down, _] = use.mcp.standings()
    assert down.down == "it answered with HTTP 401"
    assert {name.partition("__")[0] for name in offered} == {"near"}
