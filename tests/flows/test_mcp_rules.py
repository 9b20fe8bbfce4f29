"""What agents may do with the tools of MCP servers, and who sees what."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Final
from uuid import uuid4

import structlog

from tests.fakes.deployment import Deployment
from tests.fakes.mcp_process import HttpMcpServer, McpLog
from tests.fakes.mcp_server import PIXEL
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.serving_mcp import asks, configure, local, of_worker, results
from tests.flows.waiting import answer, asking, interrupts, resolved

SECRET: Final = "very-secret-token-123"


async def test_names_that_two_servers_and_we_share_lead_each_to_its_own(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    servers = {name: local(tmp_path / name, name, tools=["echo", "a b"]) for name in ("one", "two")}
    configure(deployment, "one__*, two__*", **servers)
    provider.scenario = asks(("one__echo", {"text": "x"}), ("two__echo", {"text": "x"}))
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("both")
        offered = of_worker(provider)
        hashed = sorted(offered - {"one__echo", "two__echo"})
        assert [name[:9] for name in hashed] == ["one__a_b_", "two__a_b_"]
        provider.scenario = asks(*((name, {}) for name in hashed))
        again = await agui.ask("both", thread_id=turn.thread_id)
    assert sorted(results(turn)) == ["one: x", "two: x"]
    assert sorted(results(again)) == ["one: a b", "two: a b"]


async def test_an_agent_has_what_both_white_lists_take_and_no_more(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    configure(deployment, "one__echo", one=local(log.path, tools=["echo", "slow"]))
    provider.scenario = asks(("one__slow", {}), ("one__die", {}), ("one__echo", {"text": "x"}))
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("try")
        assert of_worker(provider) == {"one__echo"}
    assert sorted(results(turn))[-1] == "one: x"
    assert [result[:31] for result in sorted(results(turn))[:-1]] == [
        "Error: There is no tool called "
    ] * 2
    assert log.asked("slow") == log.asked("die") == []


async def test_no_secret_of_a_server_is_seen_anywhere(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    env = {"TOKEN": "${TOKEN}", "FAKE_SAYS": "my token is ${TOKEN}"}
    one = local(tmp_path / "one", env=env)
    with HttpMcpServer(tmp_path / "far.jsonl", {"FAKE_SECRET": SECRET}) as server:
        far = {"url": server.url, "headers": {"Authorization": "Bearer ${KEY}"}, "tools": ["*"]}
        configure(deployment, "one__*, far__echo", one=one, far=far)
        secrets = {"one": {"token": SECRET}, "far": {"key": SECRET}}
        provider.scenario = asks(("one__whoami", {}), ("far__echo", {"text": "x"}))
        with structlog.testing.capture_logs() as lines:
            async with serve(deployment, mcp=secrets) as (agui, books):
                turn = await agui.ask("who are you?")
                provider.scenario = asks(("one__die", {}))
                died = await agui.ask("die", thread_id=turn.thread_id)
                listed = await agui.http.get("/v1/tools")
                journal = await books.rows("SELECT * FROM run_events")
                messages = await books.rows("SELECT * FROM messages")
    assert "fake: x" in results(turn)
    assert any('"TOKEN": "***"' in result for result in results(turn))
    assert {line["event"] for line in lines} >= {"mcp_server_said", "mcp_server_connected"}
    for seen in (turn.events, died.events, provider.bodies, listed.text, journal, messages, lines):
        assert SECRET not in repr(seen)


async def test_tools_of_servers_are_listed_for_people(
    deployment: Deployment, serve: Serve, tmp_path: Path
) -> None:
    one = local(tmp_path / "one", tools=["echo", "slow"], trust_read_only=True)
    gone = {"url": "http://127.0.0.1:9/", "tools": ["*"]}
    configure(deployment, "one__echo, gone__*", one=one, gone=gone)
    async with serve(deployment) as (agui, _):
        thread = str(uuid4())
        await agui.http.post("/v1/sessions", json={"id": thread})
        session = (await agui.http.get(f"/v1/sessions/{thread}/tools")).json()
        everything = (await agui.http.get("/v1/tools")).json()["items"]
    [echo] = session["items"]
    assert echo["name"] == "one__echo"
    assert (echo["origin"], echo["owner"], echo["ownName"]) == ("mcp", "mcp:one", "echo")
    assert (echo["label"], echo["policy"], echo["sideEffect"]) == ("Echo", "allow", None)
    slow = next(tool for tool in everything if tool["name"] == "one__slow")
    assert slow["sideEffect"] is not None


async def test_a_picture_of_a_server_becomes_a_file_of_the_session(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    configure(deployment, "one__picture", one=local(tmp_path / "one"))
    provider.scenario = asks(("one__picture", {}))
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("draw")
        [result] = results(turn)
        assert result.startswith("a dot:\n[the file picture.png, which the user sees: image/png")
        page = await agui.http.get(f"/v1/sessions/{turn.headers['x-session-id']}/artifacts")
        [item] = page.json()["items"]
        file = await agui.http.get(f"/v1/artifacts/{item['id']}")
    assert file.headers["content-type"] == "image/png"
    assert file.content == b64decode(PIXEL)


async def test_a_servers_tool_waits_for_its_approval_where_the_deployment_wants_it(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    configure(deployment, "one__*", one=local(log.path))
    rules = deployment.config / "tools.yaml"
    rules.write_text(rules.read_text("utf-8") + "\none__*: {policy: ask}\n", "utf-8")
    async with serve(deployment) as (agui, _):
        provider.scenario = asking(("one__echo", {"text": "rm -rf"}))
        turn = await agui.ask("do it")
        [approval] = interrupts(turn)
        assert approval["metadata"]["callsheet"]["tool"] == "one__echo"
        assert log.asked("echo") == []

        wrong = {"approved": True, "arguments": {"text": 5}}
        refused = await answer(agui, turn, resolved(approval, wrong))
        assert refused.status == 422
        payload = {"approved": True, "arguments": {"text": "ls"}}
        after = await answer(agui, turn, resolved(approval, payload))
        assert after.breaches == []
        assert results(after)[0].startswith("one: ls")
    [asked] = log.asked("echo")
    assert asked["arguments"] == {"text": "ls"}


async def test_in_plan_mode_a_servers_tool_waits_unless_it_is_believed_to_change_nothing(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    log = McpLog(tmp_path / "one.jsonl")
    one = local(log.path, tools=["echo", "fail"], trust_read_only=True)
    configure(deployment, "one__*", one=one)
    async with serve(deployment) as (agui, _):
        thread = str(uuid4())
        await agui.http.post("/v1/sessions", json={"id": thread})
        await agui.http.patch(f"/v1/sessions/{thread}", json={"mode": "plan"})
        provider.scenario = asks(("one__echo", {"text": "x"}), ("one__fail", {}))
        turn = await agui.ask("do both", thread_id=thread)
    first, second = sorted(results(turn))
    assert first.startswith("Error: The user wants to see a plan")
    assert second == "one: x"
    assert log.asked("fail") == []


async def test_a_server_that_cannot_be_reached_holds_up_nothing_else(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    hung = local(tmp_path / "hung", env={"FAKE_HANGS": "1"}, connect_timeout_s=1)
    gone = {"command": "no-such-program-anywhere", "tools": ["*"]}
    configure(deployment, "calculator, hung__*, gone__x", hung=hung, gone=gone)
    provider.scenario = asks(("calculator", {"expression": "17*23"}))
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("compute")
        assert results(turn) == ["391"]
        assert of_worker(provider) == {"calculator"}
        assert (await agui.http.get("/health/ready")).status_code == 200


async def test_what_a_server_calls_an_error_is_one(
    deployment: Deployment, serve: Serve, provider: FakeProvider, tmp_path: Path
) -> None:
    configure(deployment, "one__*", one=local(tmp_path / "one"))
    provider.scenario = asks(("one__fail", {}), ("one__echo", {"text": 5}), ("one__echo", {}))
    async with serve(deployment) as (agui, _):
        turn = await agui.ask("try")
    assert sorted(results(turn)) == [
        "Error: Wrong arguments: arguments: 'text' is a required property",
        "Error: Wrong arguments: arguments: text: must be of type string",
        "Error: no such issue",
    ]
