"""Tools of MCP servers through HTTP: real servers as processes, a scripted model."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from tests.fakes.deployment import Deployment
from tests.fakes.mcp_process import RAW, HttpMcpServer, McpLog, is_alive, until
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.serving_mcp import asks, configure, local, of_worker, results


async def test_a_servers_tool_is_used_like_any_other(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    configure(deployment, "calculator, one__*", one=local(log.path))
    provider.scenario = asks(("one__echo", {"text": "hi"}))
    async with serve(deployment) as (agui, books):
        assert log.lines() == []  # nothing is started with the server
        turn = await agui.ask("say hi")

        assert turn.breaches == []
        assert [event["toolCallName"] for event in turn.of("TOOL_CALL_START")] == ["one__echo"]
        assert results(turn) == ["one: hi"]
        assert turn.text == "The work is done."
        assert {"calculator", "one__echo", "one__a-b", "one__a_b"} <= of_worker(provider)
        kept = await books.rows("SELECT tool_name, content FROM messages WHERE role='tool'")
        assert kept == [{"tool_name": "one__echo", "content": "one: hi"}]
        assert await books.audit() == {}

        await agui.ask("again")
    assert len(log.pids()) == 1
    assert len(log.asked("echo")) == 2
    await until(lambda: not is_alive(log.pids()[0]))


async def test_a_server_is_killed_under_a_call_and_there_again_in_the_same_session(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    with HttpMcpServer(tmp_path / "far.jsonl", {"FAKE_NAME": "far"}) as server:
        configure(deployment, "calculator, far__*", far={"url": server.url, "tools": ["*"]})
        async with serve(deployment) as (agui, books):
            provider.scenario = asks(("far__slow", {}), ("calculator", {"expression": "17*23"}))
            asking = asyncio.ensure_future(agui.ask("wait for it"))
            await until(lambda: server.log.asked("slow"))
            await asyncio.to_thread(server.kill)
            turn = await asking
            assert turn.breaches == []
            assert turn.last["type"] == "RUN_FINISHED"
            lost, other = sorted(results(turn), reverse=True)
            assert other == "391"
            assert lost.startswith("Error: The connection to the server 'far' was lost")
            assert "nobody knows whether it was done" in lost

            # While it is away, the others work, and its tools are not offered.
            provider.scenario = asks(("far__echo", {"text": "hi"}))
            away = await agui.ask("and now?", thread_id=turn.thread_id)
            assert of_worker(provider) == {"calculator"}
            [refused] = results(away)
            assert "There is no tool called 'far__echo'" in refused

            await asyncio.to_thread(server.start)
            await asyncio.sleep(2.5)  # the pause between attempts
            back = await agui.ask("and now?", thread_id=turn.thread_id)
            assert results(back) == ["far: hi"]
            assert "far__slow" in of_worker(provider)
            statuses = await books.rows(
                "SELECT metadata->'tool'->>'status' AS s FROM messages WHERE role='tool'"
                " AND tool_name <> 'calculator' ORDER BY seq"
            )
            assert [row["s"] for row in statuses] == ["error", "error", "ok"]
            assert await books.audit() == {}


async def test_a_restart_between_two_calls_of_one_turn_is_not_noticed(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    """The server has forgotten the session: it is opened anew, and the call made once."""
    with HttpMcpServer(tmp_path / "far.jsonl", {"FAKE_NAME": "far"}) as server:
        configure(deployment, "far__echo", far={"url": server.url, "tools": ["echo"]})
        async with serve(deployment) as (agui, _):
            provider.scenario = asks(("far__echo", {"text": "one"}))
            first = await agui.ask("say one")
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            second = await agui.ask("again", thread_id=first.thread_id)
    assert results(first) == results(second) == ["far: one"]
    assert len(server.log.asked("echo")) == 2


async def test_a_tool_that_comes_while_the_server_runs_is_offered_in_the_next_turn(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    configure(deployment, "one__*", one=local(log.path, tools=["grow", "new*"]))
    async with serve(deployment) as (agui, _):
        provider.scenario = asks(("one__grow", {"text": "newer"}))
        first = await agui.ask("grow")
        assert of_worker(provider) == {"one__grow"}
        await until(lambda: len(log.asked("list")) == 2)
        provider.scenario = asks(("one__newer", {}))
        second = await agui.ask("use it", thread_id=first.thread_id)
        assert of_worker(provider) == {"one__grow", "one__newer"}
    assert results(second) == ["one: newer"]


async def test_bare_nan_reaches_the_wire_as_strict_json(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    with HttpMcpServer(tmp_path / "far", {"RAW_EVENTS": "1"}, script=RAW) as server:
        near = local(tmp_path / "near", script=RAW)
        far = {"url": server.url, "tools": ["*"]}
        configure(deployment, "near__nan, far__nan, far__plain", near=near, far=far)
        provider.scenario = asks(("near__nan", {}), ("far__nan", {}), ("far__plain", {}))
        async with serve(deployment) as (agui, books):
            turn = await agui.ask("compute")
            assert turn.breaches == []
            assert sorted(results(turn)) == ["[null,1]", *['{"a":null,"b":[null,1]}'] * 2]
            assert await books.audit() == {}


async def test_a_call_that_takes_too_long_ends_and_the_server_is_told(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    configure(deployment, "one__*", one=local(log.path, call_timeout_s=0.5))
    provider.scenario = asks(("one__slow", {}))
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("wait")
        [result] = results(turn)
        assert result.startswith("Error: The server 'one' did not answer in time")
        await log.until(lambda lines: any(line.get("ended") == "slow" for line in lines))
        shown = [each["content"] for each in turn.of("ACTIVITY_SNAPSHOT")]
        progress = [each for each in shown if each.get("tool") == "one__slow"]
        assert {"done": 0.0, "total": 600.0, "message": "busy", "tool": "one__slow"} in progress


async def test_a_stopped_run_stops_the_call_and_tells_the_server(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    configure(deployment, "one__*", one=local(log.path))
    provider.scenario = asks(("one__slow", {}))
    async with serve(deployment) as (agui, books):
        async with agui.open("wait") as (turn, events):
            async for event in events:
                if event["type"] == "ACTIVITY_SNAPSHOT" and "done" in event["content"]:
                    break
            asked_at = time.monotonic()
            await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
            took_s = time.monotonic() - asked_at
            async for _ in events:
                pass
        turn.finish()
        assert turn.breaches == []
        assert turn.last["outcome"] == {"type": "cancelled"}
        assert took_s < 2
        await log.until(lambda lines: any(line.get("ended") == "slow" for line in lines))
        assert await books.audit() == {}
    assert len(log.pids()) == 1
