"""Tools are listed, shown and called from the command line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from callsheet.tools.register import register_tool
from callsheet.tools.registered import forget, registered
from tests.cli.conftest import Callsheet
from tests.fakes.plugin import Install, a_tool, packages
from tests.fixtures.plugin import RULES, warehouse, warehouse_site

__all__ = ["warehouse", "warehouse_site"]

MAIL = '{"to": ["ada@example.org"], "subject": "Hello", "body": "Dear Ada"}'


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    with packages(tmp_path / "site") as installer:
        (tmp_path / "site").mkdir()
        yield installer


def row(out: str, name: str) -> list[str]:
    (line,) = [line for line in out.splitlines() if line.startswith(f"{name} ")]
    return [cell.strip() for cell in line.split("|")]


def test_the_list_has_name_source_policy_group_and_summary(callsheet: Callsheet) -> None:
    ran = callsheet("tools", "list")
    assert (ran.status, ran.err) == (0, "")
    assert row(ran.out, "name") == ["name", "source", "policy", "group", "summary", "available"]
    assert row(ran.out, "calculator") == [
        "calculator",
        "callsheet (builtin)",
        "allow",
        "compute",
        "Computes an arithmetic expression.",
        "yes",
    ]
    assert row(ran.out, "send_mail")[2] == "ask"


def test_a_tool_that_cannot_be_used_now_says_why(
    deployed: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_SANDBOX__DOCKER_HOST", "unix:///nowhere.sock")
    why = "No Docker engine answers."
    listed = deployed("tools", "list")
    assert (listed.err, row(listed.out, "python_executor")[5]) == ("", f"no: {why}")
    called = deployed("tools", "call", "python_executor", '{"code": "1"}')
    assert (called.status, called.out) == (1, "")
    assert called.err.splitlines()[-1] == f"python_executor cannot be used now: {why}"


def test_tools_of_an_installed_package_are_listed_with_its_name(
    callsheet: Callsheet, warehouse: Path, tmp_path: Path
) -> None:
    callsheet("init")
    ran = callsheet("tools", "list")
    assert row(ran.out, "stock")[:4] == [
        "stock",
        "warehouse-tools (plugin)",
        "not listed",
        "warehouse",
    ]
    tools = tmp_path / "config/tools.yaml"
    tools.write_text(tools.read_text("utf-8") + RULES, "utf-8")
    assert row(callsheet("tools", "list").out, "delivery_days")[2] == "allow"
    assert callsheet("check").status == 0


def test_a_program_that_registers_a_tool_has_it_listed(callsheet: Callsheet) -> None:
    before = registered()

    @register_tool(group="sums")
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    try:
        ran = callsheet("tools", "list")
    finally:
        forget(before)
    assert row(ran.out, "add")[:5] == [
        "add",
        f"{__name__} (python)",
        "not listed",
        "sums",
        "Add two numbers.",
    ]


def test_a_doubled_name_and_a_broken_package_are_told_with_their_owners(
    callsheet: Callsheet, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("acme-tools", a_tool("calculator"), sums="Calculator")
    install("broken-tools", "raise OSError('no licence')\n", red="Red")
    both = "The tool 'calculator' is brought by both callsheet and acme-tools"
    broken = "The plugin broken-tools (red = broken_tools:Red) cannot be loaded: OSError: no licen"
    ran = callsheet("tools", "list")
    assert ran.status == 0
    assert both in ran.err
    assert broken in ran.err
    assert row(ran.out, "calculator")[1] == "callsheet (builtin)"
    problems = json.loads(callsheet("tools", "list", "--json").out)["problems"]
    assert [both in problems[0], broken in problems[1]] == [True, True]
    for command in ("check", "doctor"):
        told = callsheet(command)
        assert both in told.out + told.err
        assert broken in told.out + told.err
    assert callsheet("check").status == 0
    monkeypatch.setenv("CALLSHEET_TOOLS__FAIL_FAST", "true")
    refused = callsheet("check")
    assert refused.status == 1
    assert both in refused.out
    assert "no  tools: 2 problems" in callsheet("doctor").out
    serve = callsheet("serve", "--port", "0")
    assert serve.status == 2
    assert both in serve.err


def test_the_list_is_there_though_the_white_list_is_broken(
    callsheet: Callsheet, tmp_path: Path
) -> None:
    callsheet("init")
    (tmp_path / "config/tools.yaml").write_text("calculater: {policy: ask}\n", "utf-8")
    ran = callsheet("tools", "list")
    assert "there is no tool 'calculater' (did you mean 'calculator'?)" in ran.err
    assert row(ran.out, "calculator")[2] == "not listed"


def test_one_tool_is_shown_with_all_that_is_known(callsheet: Callsheet) -> None:
    out = callsheet("tools", "show", "send_mail").out
    for text in ("callsheet (builtin)", "A mail is sent", "发送邮件 (zh)", '"maxItems": 20'):
        assert text in out
    document = json.loads(callsheet("tools", "show", "calculator", "--json").out)
    assert (document["name"], document["policy"]) == ("calculator", "allow")
    assert document["parameters"]["required"] == ["expression"]


@pytest.mark.parametrize("command", ["show", "call"])
def test_a_misspelt_tool_is_answered_with_the_right_one(callsheet: Callsheet, command: str) -> None:
    ran = callsheet("tools", command, "calculater")
    assert ran.status == 1
    assert "There is no tool 'calculater'. Did you mean 'calculator'?" in ran.err


def test_a_call_takes_the_path_of_an_agents_call(deployed: Callsheet) -> None:
    ran = deployed("tools", "call", "calculator", '{"expression": "17*23"}')
    assert (ran.status, ran.out) == (0, "391\n")
    wrong = deployed("tools", "call", "calculator", '{"expresion": "17*23"}')
    assert wrong.status == 1
    assert wrong.out == "Error: Wrong arguments: expression: Field required\n"
    document = json.loads(deployed("tools", "call", "current_time", "--json").out)
    assert (document["tool"], document["status"]) == ("current_time", "ok")
    assert json.loads(document["content"])["timezone"] == "UTC"


def test_a_call_that_has_to_be_allowed_is_not_made_where_nobody_can_be_asked(
    deployed: Callsheet,
) -> None:
    ran = deployed("tools", "call", "send_mail", MAIL)
    assert ran.status == 1
    assert ran.out == "The call was not allowed; --yes allows it without asking.\n"
    assert '"subject":"Hello"' in ran.err
    assert "A mail is sent in the user's name." in ran.err


def test_a_call_in_a_session_keeps_what_it_does_there(deployed: Callsheet) -> None:
    assert deployed("chat", "Hello").status == 0
    ran = deployed("tools", "call", "send_mail", MAIL, "--yes", "--session", "recent")
    assert (ran.status, ran.out) == (
        0,
        "The mail to ada@example.org was put into the outbox.\n",
    )
    missing = deployed("tools", "call", "send_mail", MAIL, "--yes", "--session", "other")
    assert (missing.status, "has no session 'other'" in missing.err) == (1, True)


def at_a_terminal(database_url: str, folder: Path, typed: str, *arguments: str) -> tuple[int, str]:
    """The status and the output of a command whose standard input is a terminal."""
    ours, theirs = pty.openpty()
    environ = {name: text for name, text in os.environ.items() if "CALLSHEET" not in name}
    environ["CALLSHEET_DATABASE__URL"] = database_url
    environ["CALLSHEET_DATA_DIR"] = str(folder / "data")
    start = "from callsheet.cli.app import main; main()"
    command = [sys.executable, "-c", start, "tools", "call", *arguments]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, env=environ, cwd=folder, text=True
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        out, _ = process.communicate(timeout=90)
        os.close(ours)
    return process.returncode, out


@pytest.mark.parametrize(
    ("typed", "status", "out"),
    [
        ("maybe\nno\n", 1, "The call was not allowed"),
        ("\x04", 1, "The call was not allowed"),
        ("yes\n", 1, "Error: the tool 'send_mail' failed inside"),
    ],
)
def test_the_person_at_the_terminal_allows_a_call_or_not(
    database_url: str, tmp_path: Path, typed: str, status: int, out: str
) -> None:
    """Allowed, it is made, and fails: without a session it has nowhere to keep the mail."""
    ended, said = at_a_terminal(database_url, tmp_path, typed, "send_mail", MAIL)
    assert (ended, said[: len(out)]) == (status, out)


def test_a_question_of_a_tool_is_answered_at_the_terminal(
    database_url: str, tmp_path: Path
) -> None:
    asks = '{"questions": [{"question": "Which?"}, {"question": "When?"}]}'
    status, out = at_a_terminal(database_url, tmp_path, "this\nnow\n", "ask_user", asks)
    assert (status, json.loads(out)) == (0, {"answers": ["this", "now"]})
