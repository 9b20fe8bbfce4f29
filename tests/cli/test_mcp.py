"""MCP servers at the command line: what there is of them, what is wrong with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Callsheet, Ran
from tests.fakes.agents import give_tools
from tests.fakes.mcp_process import SERVER, HttpMcpServer, McpLog

SECRET = "very-secret-token-123"


@pytest.fixture
def configured(
    callsheet: Callsheet, deployed: Callsheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callsheet:
    """A server that is started here, and one that is not there."""
    callsheet("init")
    monkeypatch.setenv("CALLSHEET_MCP__ONE__TOKEN", SECRET)
    monkeypatch.setenv("CALLSHEET_SERVER__PORT", "0")
    configure(
        tmp_path,
        one={
            "command": sys.executable,
            "args": [str(SERVER), "stdio"],
            "env": {"FAKE_LOG": str(tmp_path / "one.jsonl"), "TOKEN": "${TOKEN}"},
            "tools": ["echo", "a b", "broken", "gone", "whoami"],
        },
        far={"url": "http://127.0.0.1:9/mcp", "tools": ["*"]},
    )
    name_tools(tmp_path, "one__echo, one__*, far__x")
    return deployed


def configure(folder: Path, **servers: Any) -> None:
    (folder / "config" / "mcp.yaml").write_text(json.dumps({"servers": servers}), "utf-8")


def name_tools(folder: Path, tools: str) -> None:
    give_tools(folder / "crews", tools)


def row(ran: Ran, name: str) -> list[str]:
    (line,) = [line for line in ran.out.splitlines() if line.startswith(f"{name} ")]
    return [cell.strip() for cell in line.split("|")]


def test_tools_of_servers_are_listed_with_their_server_and_its_own_name(
    configured: Callsheet,
) -> None:
    ran = configured("tools", "list")
    assert ran.status == 0, ran.err
    assert row(ran, "one__echo") == [
        "one__echo", "mcp:one 'echo' (mcp)", "allow", "mcp", "Says it again.", "yes",
    ]  # fmt: skip
    (hashed,) = [line for line in ran.out.splitlines() if line.startswith("one__a_b_")]
    assert "mcp:one 'a b' (mcp)" in hashed
    assert "one__slow" not in ran.out
    assert "The MCP server 'one': its tool 'broken' is left out: its schema refers" in ran.err
    assert "The MCP server 'one': it has no tool 'gone', which mcp.yaml lists." in ran.err
    assert "The MCP server 'far': it cannot be used: it cannot be reached (ConnectError)" in ran.err
    assert SECRET not in ran.out + ran.err

    shown = json.loads(configured("tools", "show", "one__echo", "--json").out)
    assert (shown["origin"], shown["owner"], shown["ownName"]) == ("mcp", "mcp:one", "echo")


def test_a_servers_tool_is_called_by_hand(configured: Callsheet) -> None:
    ran = configured("tools", "call", "one__echo", '{"text": "hi"}')
    assert (ran.status, ran.out) == (0, "fake: hi\n"), ran.err
    seen = configured("tools", "call", "one__whoami")
    assert json.loads(seen.out)["env"]["TOKEN"] == "***"
    assert SECRET not in seen.out + seen.err
    assert configured("tools", "call", "one__nothing").status != 0


def test_the_policy_of_a_servers_tools_is_the_deployments(
    configured: Callsheet, tmp_path: Path
) -> None:
    rules = tmp_path / "config" / "tools.yaml"
    text = rules.read_text("utf-8")
    rules.write_text(f"{text}\none__*: {{policy: ask}}\none__echo: {{policy: deny}}\n", "utf-8")
    ran = configured("tools", "list")
    assert row(ran, "one__echo")[2] == "deny"
    assert row(ran, "one__whoami")[2] == "ask"
    assert "there is no tool" not in ran.err


def test_the_doctor_looks_at_each_server(configured: Callsheet, tmp_path: Path) -> None:
    name_tools(tmp_path, "one__echo, far__x")
    ran = configured("doctor")
    assert "!!  MCP one: stdio, 3 tools" in ran.out
    assert "it has no tool 'gone', which mcp.yaml lists" in ran.out
    assert "!!  MCP far: http, 0 tools" in ran.out
    assert SECRET not in ran.out + ran.err


def test_a_server_that_is_well_is_one_line(
    deployed: Callsheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed("init")
    monkeypatch.setenv("CALLSHEET_SERVER__PORT", "0")
    with HttpMcpServer(tmp_path / "far.jsonl") as server:
        configure(tmp_path, far={"url": server.url, "tools": ["echo", "slow"]})
        name_tools(tmp_path, "far__echo, far__gone")
        checked = deployed("check")
        told = deployed("tools", "list")
        name_tools(tmp_path, "far__echo")
        ran = deployed("doctor")
    assert checked.status == 1
    assert "has no 'gone' among the tools that it lists" in checked.out
    assert "it has no 'far__gone', which an agent names" in told.err
    assert "ok  MCP far: http, 2 tools" in ran.out


def test_check_holds_the_files_against_each_other_and_starts_nothing(
    configured: Callsheet, tmp_path: Path
) -> None:
    sound = configured("check")
    assert sound.status == 0, sound.out
    name_tools(tmp_path, "one__ecko, onne__echo, one__e*, far__any, one__echo")
    wrong = configured("check")
    assert wrong.status == 1
    assert "has no 'ecko' among the tools that it lists (did you mean 'one__echo'?)" in wrong.out
    assert "mcp.yaml has no server 'onne' (did you mean 'one__echo'?)" in wrong.out
    assert (
        "'one__e*' is no name: one tool, or all of a server (did you mean 'one__*'?)" in wrong.out
    )
    assert len(wrong.out.splitlines()) == 3
    assert McpLog(tmp_path / "one.jsonl").lines() == []


def test_check_names_the_secret_that_is_lacking(
    configured: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CALLSHEET_MCP__ONE__TOKEN")
    ran = configured("check")
    assert ran.status == 1
    [line] = ran.out.splitlines()
    assert line.endswith("needs a secret: set CALLSHEET_MCP__ONE__TOKEN")
    assert "config/mcp.yaml:1:" in line
