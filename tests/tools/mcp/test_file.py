"""`mcp.yaml`: servers, secrets, and every mistake at its place."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from callsheet.kit.places import shipped
from callsheet.settings.load import load_settings
from callsheet.settings.names import mcp_variable
from callsheet.tools.mcp.file import Listed, read_servers
from callsheet.tools.mcp.server import Endpoint, McpServer, Program
from callsheet.workflows.server_tools import is_servers, why_not

SECRETS = {("one", "TOKEN"): "of-one-12345", ("two", "token"): "of-two-67890"}


def read(tmp_path: Path, text: str) -> Listed:
    path = tmp_path / "mcp.yaml"
    path.write_text(dedent(text).lstrip(), "utf-8")
    return read_servers(path, lambda server, name: SECRETS.get((server, name)), mcp_variable)


def told(tmp_path: Path, text: str) -> list[str]:
    """The problems without the file's folder."""
    found = read(tmp_path, text).problems
    return [str(problem).removeprefix(f"{tmp_path}/mcp.yaml:") for problem in found]


def test_servers_are_read_with_their_secrets(tmp_path: Path) -> None:
    listed = read(
        tmp_path,
        """
        servers:
          one:
            command: run-it
            args: ["--token=${TOKEN}", plain]
            env: {A: "x ${TOKEN} y", PORT: 8080}
            cwd: /srv
            tools: [a, "b_*"]
            connect_timeout_s: 5
            call_timeout_s: 7
            trust_read_only: true
          two:
            url: https://host/mcp?key=${token}
            headers: {Authorization: "Bearer ${token}"}
            tools: ["*"]
        """,
    )
    assert listed.problems == ()
    program = Program(
        "run-it",
        ("--token=of-one-12345", "plain"),
        {"A": "x of-one-12345 y", "PORT": "8080"},
        "/srv",
    )
    secrets = ("of-one-12345", "of-one-12345")
    assert listed.servers[0] == McpServer("one", program, ("a", "b_*"), 5, 7, True, secrets)
    assert listed.servers[1].reach == Endpoint(
        "https://host/mcp?key=of-two-67890", {"Authorization": "Bearer of-two-67890"}
    )
    assert "of-one" not in repr(listed)
    assert "of-two" not in repr(listed)
    assert listed.names().keys() == {"one", "two"}


def test_what_ships_names_no_server_and_what_is_not_there_names_none() -> None:
    nothing = read_servers(Path("/nowhere/mcp.yaml"), lambda *_: None, mcp_variable)
    ships = read_servers(shipped("config") / "mcp.yaml", lambda *_: None, mcp_variable)
    assert nothing == ships == Listed()


def test_the_example_in_what_ships_is_sound(tmp_path: Path) -> None:
    lines = (shipped("config") / "mcp.yaml").read_text("utf-8").splitlines()
    example = [line[2:] for line in lines if line.startswith("#   ")]
    text = "servers:\n" + "\n".join(example)
    (tmp_path / "mcp.yaml").write_text(text, "utf-8")
    listed = read_servers(tmp_path / "mcp.yaml", lambda *_: "a secret", mcp_variable)
    assert listed.problems == ()
    assert [server.name for server in listed.servers] == ["tracker", "wiki"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "servers:\n  one: {command: x, tool: [a]}",
            "2:21: unknown key 'tool' (did you mean 'tools'?)",
        ),
        ("mcpServers: {}", "1:1: unknown key 'mcpServers' (did you mean 'servers'?)"),
        ("servers:\n  one: {command: x}", "2:3: the key 'tools' is missing"),
        ("servers:\n  one: {command: x, tools: []}", "2:28: must not be empty"),
        (
            "servers:\n  one: {tools: [a]}",
            "2:3: it needs a 'command' to start it by, or a 'url' to reach it at",
        ),
        (
            "servers:\n  one: {command: x, url: 'http://h/', tools: [a]}",
            "2:21: a server with 'command' has no 'url': one or the other",
        ),
        (
            "servers:\n  one: {url: 'http://h/', env: {A: b}, tools: [a]}",
            "2:27: a server with 'url' has no 'env': nothing is started here",
        ),
        (
            "servers:\n  one: {url: 'ftp://h/', tools: [a]}",
            "2:14: expected an address such as https://host/mcp",
        ),
        (
            "servers:\n  my-one: {command: x, env: {A: '${KEY}'}, tools: [a]}",
            "2:33: needs a secret: set CALLSHEET_MCP__MY_ONE__KEY",
        ),
        (
            "servers:\n  one: {command: x, args: [y, '${a-b}'], tools: [a]}",
            "2:31: '${a-b}' names no secret: write ${NAME}, letters, digits and single '_'",
        ),
        (
            "servers:\n  one: {url: 'http://h/', headers: {A: 'ü'}, tools: [a]}",
            "2:40: a header holds printable ASCII alone",
        ),
    ],
)
def test_a_mistake_is_told_at_its_place(tmp_path: Path, text: str, expected: str) -> None:
    assert told(tmp_path, text) == [expected]


@pytest.mark.parametrize("name", ["One", "a__b", "a_", "-a", "1a", "a b", "x" * 31])
def test_a_name_that_could_not_be_told_from_a_tools_is_refused(tmp_path: Path, name: str) -> None:
    [problem] = told(tmp_path, f'servers:\n  "{name}": {{command: x, tools: [a]}}')
    assert problem.startswith("2:3: ")
    assert "is no name for a server" in problem


def test_two_servers_do_not_share_their_secrets(tmp_path: Path) -> None:
    text = """
        servers:
          a-b: {command: x, tools: [a]}
          a_b: {command: x, tools: [a]}
        """
    assert told(tmp_path, text) == [
        "3:3: its secrets would be those of the server 'a-b': rename one"
    ]


def test_a_broken_server_takes_no_other_away(tmp_path: Path) -> None:
    listed = read(
        tmp_path, "servers:\n  one: {tools: [a]}\n  two: {command: x, tools: [b]}\n  three: 5\n"
    )
    assert [server.name for server in listed.servers] == ["two"]
    assert listed.broken == ("one", "three")
    assert len(listed.problems) == 2
    assert is_servers("one__anything", listed.names())


def test_secrets_come_from_the_environment_as_they_are_written(tmp_path: Path) -> None:
    environ = {
        "CALLSHEET_MCP__MY_ONE__TOKEN": "0123",
        "CALLSHEET_MCP__MY_ONE__LONG_NAME": "1e5",
        "CALLSHEET_MCP__OTHER__JSON": '{"a": 1}',
        "CALLSHEET_MCP__EMPTY__X": "",
    }
    loaded = load_settings(environ, env_file=tmp_path / "none")
    settings = loaded.settings
    assert loaded.warnings == ()
    assert settings.mcp_secret("my-one", "TOKEN") == "0123"
    assert settings.mcp_secret("my_one", "long_name") == "1e5"
    assert settings.mcp_secret("other", "JSON") == '{"a": 1}'
    assert settings.mcp_secret("empty", "X") is None
    assert settings.mcp_secret("my-one", "other") is None
    assert "0123" not in repr(settings)


SERVERS: dict[str, Any] = {"one": ("one__get_*", "one__list"), "two": ("two__*",)}


@pytest.mark.parametrize("tool", ["one__get_x", "one__list", "one__*", "two__any", "two__*"])
def test_what_a_server_may_have_can_be_named(tool: str) -> None:
    assert is_servers(tool, SERVERS)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("calculator", None),
        (
            "ona__get_x",
            ("there is no tool 'ona__get_x', and mcp.yaml has no server 'ona'", "one__get_x"),
        ),
        (
            "one__lisst",
            (
                "the server 'one' of mcp.yaml has no 'lisst' among the tools that it lists",
                "one__list",
            ),
        ),
        ("one__li*", ("'one__li*' is no name: one tool, or all of a server", "one__*")),
        ("zzzzz__*", ("there is no tool 'zzzzz__*', and mcp.yaml has no server 'zzzzz'", None)),
    ],
)
def test_what_none_can_have_is_told(tool: str, expected: Any) -> None:
    assert not is_servers(tool, SERVERS)
    assert why_not(tool, SERVERS) == expected
