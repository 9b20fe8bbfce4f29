"""Several servers side by side, and what they may not do to each other or to us."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import BaseModel

from callsheet.tools.mcp.server import Program
from callsheet.tools.named import named
from callsheet.tools.registry import ToolRegistry
from tests.fakes.mcp_process import RAW, SERVER, is_alive, until
from tests.tools.calls import Scripted
from tests.tools.mcp.running import log_of, stdio, using

SECRET = "very-secret-token-123"


class Empty(BaseModel):
    pass


def a_tool(name: str) -> Scripted:
    tool = Scripted(lambda _: "local", Empty)
    tool.name = name
    return tool


async def test_tools_of_one_name_of_two_servers_and_of_our_own_all_stay(tmp_path: Path) -> None:
    registry = ToolRegistry()
    registry.add([a_tool("one__echo"), a_tool("echo")], owner="mine", origin="python")
    one, two = (stdio(name, tmp_path / f"{name}.log", tools=("echo",)) for name in ("one", "two"))
    async with using(one, two, registry=registry) as use:
        await use.ready()
        names = sorted(registry.names())
        hashed = next(name for name in names if name.startswith("one__echo_"))
        assert names == sorted(["echo", "one__echo", hashed, "two__echo"])
        said = [
            (await use.call(name, arguments)).content
            for name, arguments in [
                ("one__echo", "{}"),
                (hashed, '{"text": "x"}'),
                ("two__echo", '{"text": "x"}'),
            ]
        ]
        assert said == ["local", "one: x", "two: x"]
        # A pattern takes a server's tools alone.
        assert named(["one__*", "two__*", "calculator"], registry) == [hashed, "two__echo"]
        assert registry.facts(hashed).own_name == "echo"
        assert registry.facts(hashed).owner == "mcp:one"
        assert list(registry.problems()) == []


async def test_names_of_one_server_that_look_alike_lead_to_their_own_tools(tmp_path: Path) -> None:
    tools = ("a b", "a-b", "a_b", "l" * 90)
    async with using(stdio("one", tmp_path / "log", tools=tools)) as use:
        names = await use.ready()
        [standing] = use.mcp.standings()
        assert sorted(standing.tools.values()) == sorted(tools)
        assert all(len(name) <= 64 for name in names)
        for name, own in standing.tools.items():
            assert (await use.call(name)).content == f"one: {own}"


async def test_what_is_not_on_the_white_list_is_not_there(tmp_path: Path) -> None:
    async with using(stdio("one", tmp_path / "log", tools=("ec*", "gone", "broken"))) as use:
        assert await use.ready() == ["one__echo"]
        refused = await use.call("one__slow")
        [standing] = use.mcp.standings()
    assert "There is no tool" in refused.content
    assert standing.missing == ("gone",)
    assert list(standing.left_out) == ["broken"]
    assert len(standing.told()) == 2


async def test_all_pages_of_a_list_are_read(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path, {"FAKE_PAGE": "3"})) as use:
        await use.ready()
        [standing] = use.mcp.standings()
    assert len(standing.tools) + len(standing.left_out) == 15
    assert len(log.asked("list")) == 5


async def test_what_a_server_calls_read_only_is_believed_where_the_file_says_so(
    tmp_path: Path,
) -> None:
    trusted = stdio("good", tmp_path / "a", trusts_read_only=True)
    async with using(trusted, stdio("odd", tmp_path / "b")) as use:
        await use.ready()
        facts = use.registry.facts
        assert facts("good__echo").side_effect is None
        assert facts("good__echo").idempotent
        assert facts("good__slow").side_effect is not None
        assert facts("odd__echo").side_effect is not None
        assert not facts("odd__echo").idempotent
        assert facts("good__echo").label == {"en": "Echo"}
        assert facts("good__echo").summary == "Says it again."


async def test_a_program_gets_what_the_file_says_and_nothing_else_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_HOST", "must not be seen")
    server = stdio("one", tmp_path / "log", {"TOKEN": SECRET})
    async with using(server) as use:
        await use.ready()
        seen = json.loads((await use.call("one__whoami")).content)
    assert {name for name in seen["env"] if not name.startswith("LC_")} == {
        "PATH", "HOME", "FAKE_LOG", "FAKE_NAME", "TOKEN",
    }  # fmt: skip
    assert seen["argv"][0] == str(SERVER)


async def test_no_secret_leaves_a_server_in_its_answers_or_in_the_log(tmp_path: Path) -> None:
    env = {"TOKEN": SECRET, "FAKE_SAYS": f"I was given {SECRET}"}
    server = stdio("one", tmp_path / "log", env, secrets=(SECRET,))
    with structlog.testing.capture_logs() as lines:
        async with using(server) as use:
            await use.ready()
            outcome = await use.call("one__whoami")
            down = await use.call("one__die")
    assert json.loads(outcome.content)["env"]["TOKEN"] == "***"
    assert SECRET not in down.content
    assert SECRET not in repr(server)
    assert any(line["event"] == "mcp_server_said" for line in lines)
    assert SECRET not in repr(lines)


async def test_no_secret_leaves_a_server_in_what_it_says_when_it_will_not_speak(
    tmp_path: Path,
) -> None:
    server = stdio("raw", tmp_path / "log", {"RAW_REFUSES": SECRET}, script=RAW, secrets=(SECRET,))
    with structlog.testing.capture_logs() as lines:
        async with using(server) as use:
            assert await use.ready() == []
            [standing] = use.mcp.standings()
    assert standing.down == "the token *** is not good"
    assert SECRET not in repr(lines)


async def test_one_server_that_hangs_holds_up_no_other(tmp_path: Path) -> None:
    hung = stdio("hung", tmp_path / "a", {"FAKE_HANGS": "1"}, connect_timeout_s=2.0)
    async with using(hung, stdio("good", tmp_path / "b")) as use:
        both = asyncio.ensure_future(use.ready("hung__x", "good__echo"))
        await until(lambda: "good__echo" in use.offered())
        assert not both.done()
        assert (await use.call("good__echo", '{"text": "x"}')).status == "ok"
        assert await both
        [down, _] = use.mcp.standings()
        assert down.down == "it did not answer in time"

        # Whoever comes next does not wait for it again.
        async with asyncio.timeout(1):
            await use.ready("hung__x")
    await until(lambda: not any(is_alive(pid) for pid in log_of(tmp_path, "a").pids()))


async def test_a_server_that_ends_at_once_is_not_started_again_and_again(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    server = stdio("one", log.path)
    assert isinstance(server.reach, Program)
    broken = stdio("one", log.path, {"FAKE_TOOLS": "no json"})
    async with using(broken) as use:
        for _ in range(10):
            assert await use.ready() == []
        [down] = use.mcp.standings()
    assert down.down is not None
    assert len(log.pids()) <= 2


async def test_many_calls_share_one_connection(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    async with using(stdio("one", log.path)) as use, asyncio.TaskGroup() as group:
        calls = [group.create_task(_ready_and_call(use, f'{{"text": "{n}"}}')) for n in range(50)]
    assert [call.result() for call in calls] == [f"one: {n}" for n in range(50)]
    assert len(log.pids()) == 1


async def _ready_and_call(use: Any, arguments: str) -> str:
    await use.ready("one__echo")
    return str((await use.call("one__echo", arguments)).content)


async def test_what_a_server_writes_beside_is_bounded(tmp_path: Path) -> None:
    chatter = {"FAKE_SAYS": "x" * 5_000, "FAKE_SAYS_TIMES": "500"}
    with structlog.testing.capture_logs() as lines:
        async with using(stdio("one", tmp_path / "log", chatter)) as use:
            assert await use.ready()
    said = [line for line in lines if line["event"] == "mcp_server_said"]
    assert len(said) <= 61
    assert max(len(line["line"]) for line in said) <= 1_000
