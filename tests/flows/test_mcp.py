"""Tools of MCP servers through HTTP: real servers as processes, a scripted model."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.fakes.agui_client import Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.mcp_process import SERVER, McpLog
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve


def asks(*calls: tuple[str, Any]) -> Any:
    tools = [{"name": name, "arguments": json.dumps(given)} for name, given in calls]
    return chat_script(complexity="simple", execution={"tools": tools})


def configure(deployment: Deployment, tools: str, **servers: dict[str, Any]) -> None:
    """Write mcp.yaml, and give the agent that works these tools."""
    file = deployment.config / "mcp.yaml"
    file.write_text(json.dumps({"servers": servers}), "utf-8")
    agents = deployment.crews / "chat" / "agents.yaml"
    text, found = re.subn(
        r"tools: \[current_time.*\]", f"tools: [{tools}]", agents.read_text("utf-8")
    )
    assert found == 1
    agents.write_text(text, "utf-8")


def local(log: Path, name: str = "one", **more: Any) -> dict[str, Any]:
    """The entry of a server that is started here."""
    env = {"FAKE_LOG": str(log), "FAKE_NAME": name, **more.pop("env", {})}
    script = str(more.pop("script", SERVER))
    args = [script, "stdio"]
    return {"command": sys.executable, "args": args, "env": env, "tools": ["*"], **more}


def results(turn: Turn) -> list[str]:
    return [event["content"] for event in turn.of("TOOL_CALL_RESULT")]


def offered(provider: FakeProvider, body: int = -1) -> set[str]:
    """The tools that the model was given in a request."""
    return {tool["function"]["name"] for tool in provider.bodies[body].get("tools", [])}


def of_worker(provider: FakeProvider) -> set[str]:
    """The tools in the last request that had any."""
    with_tools = [n for n, body in enumerate(provider.bodies) if body.get("tools")]
    return offered(provider, with_tools[-1]) if with_tools else set()


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
