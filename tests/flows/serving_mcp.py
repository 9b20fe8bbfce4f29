"""MCP servers in a deployment, and turns that use their tools."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.fakes.agents import give_tools
from tests.fakes.agui_client import Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.mcp_process import SERVER
from tests.fakes.provider.server import FakeProvider


def asks(*calls: tuple[str, Any]) -> Any:
    tools = [{"name": name, "arguments": json.dumps(given)} for name, given in calls]
    return chat_script(complexity="simple", execution={"tools": tools})


def configure(deployment: Deployment, tools: str, **servers: dict[str, Any]) -> None:
    """Write mcp.yaml, and give the agent that works these tools."""
    file = deployment.config / "mcp.yaml"
    file.write_text(json.dumps({"servers": servers}), "utf-8")
    give_tools(deployment.crews, tools)


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
    with_tools = [body for body in provider.bodies if body.get("tools")]
    tools = with_tools[-1]["tools"] if with_tools else []
    return {tool["function"]["name"] for tool in tools}
