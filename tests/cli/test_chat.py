"""`chat` runs the server's own engine in the terminal's process."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from callsheet.cli.line_reader import LineReader
from tests.cli.conftest import Callsheet
from tests.fakes.chat_script import EXECUTION, chat_script
from tests.fakes.deployment import make_deployment
from tests.fakes.provider.server import FakeProvider


@pytest.fixture
def connected(
    deployed: Callsheet,
    provider: FakeProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callsheet:
    """A deployment whose two factories are the fake provider, each with a key."""
    provider.scenario = chat_script()
    deployment = make_deployment(tmp_path / "deployment", provider.base_url)
    monkeypatch.setenv("CALLSHEET_CONFIG_DIR", str(deployment.config))
    monkeypatch.setenv("CALLSHEET_CREWS_DIR", str(deployment.crews))
    for factory in ("QWEN", "DEEPSEEK"):
        monkeypatch.setenv(f"CALLSHEET_LLM__{factory}__API_KEY", "key-0123456789")
    return deployed


def interrupt_when(happened: Callable[[], bool]) -> threading.Thread:
    """Press Ctrl-C once, as soon as it has happened."""

    def watch() -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if happened():
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_the_answer_alone_is_on_standard_output(connected: Callsheet) -> None:
    ran = connected("chat", "17*23?")
    assert ran.status == 0, ran.err
    assert ran.out == "Here is your answer.\n"
    assert "▸ organization" in ran.err
    assert "3 calls of deepseek-v3.2, qwen3.5-flash" in ran.err
    again = connected("chat", "And now?", "--session", "recent")
    assert again.status == 0
    shown = connected("sessions", "show")
    assert "17*23?" in shown.out
    assert "And now?" in shown.out
    assert connected("audit").status == 0


def test_json_is_every_event_of_the_run(connected: Callsheet) -> None:
    ran = connected("chat", "17*23?", "--json", "--session", "mine")
    entries = [json.loads(line) for line in ran.out.splitlines()]
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    kinds = [entry["event"]["kind"] for entry in entries]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")


def test_a_message_may_come_from_a_pipe(
    connected: Callsheet, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe"))
    assert connected("chat").status == 0
    assert "from a pipe" in json.dumps(provider.bodies[0])
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    assert connected("chat").status == 1


def test_what_a_run_waits_for_is_asked_and_the_next_line_answers_it(
    connected: Callsheet, provider: FakeProvider
) -> None:
    mail = {"to": ["ann@b.example"], "subject": "s", "body": "b"}
    provider.scenario = chat_script(
        complexity="simple",
        execution={"tools": [{"name": "send_mail", "arguments": json.dumps(mail)}]},
    )
    asked = connected("chat", "Write to Ann")
    assert (asked.status, asked.out) == (0, "")
    assert "May the tool send_mail be used?" in asked.err
    assert "ann@b.example" in asked.err
    answered = connected("chat", "yes", "--session", "recent")
    assert answered.out == "The work is done.\n"
    assert "put into the outbox" in answered.err
    assert connected("audit").status == 0


def test_in_plan_mode_a_plan_is_shown_and_may_be_declined_with_a_word(
    connected: Callsheet, provider: FakeProvider
) -> None:
    plan = {"title": "Write to Ann", "steps": ["Look up the day", "Send the mail"]}
    provider.scenario = chat_script(
        complexity="simple",
        execution={"tools": [{"name": "request_plan_approval", "arguments": json.dumps(plan)}]},
    )
    refused = connected("chat", "Write to Ann", "--mode", "planned")
    assert refused.status == 2
    asked = connected("chat", "Write to Ann", "--mode", "plan")
    assert "Is this plan all right? Write to Ann" in asked.err
    assert "2. Send the mail" in asked.err
    answered = connected("chat", "no, call her instead", "--session", "recent")
    assert answered.out == "The work is done.\n"
    assert "call her instead" in json.dumps(provider.bodies[-1])
    assert connected("audit").status == 0


def test_a_failed_turn_is_status_1_and_says_why(
    connected: Callsheet, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent={"fault": "status", "status": 400})
    ran = connected("chat", "17*23?")
    assert ran.status == 1
    assert ran.out == ""
    assert "USD" in ran.err


def test_an_unknown_workflow_is_named(connected: Callsheet) -> None:
    ran = connected("chat", "hello", "--workflow", "chatt")
    assert ran.status == 1
    assert "'chat'" in ran.err


def test_ctrl_c_stops_the_run_and_books_it(connected: Callsheet, provider: FakeProvider) -> None:
    provider.scenario = chat_script(execution={"fault": "hang"})
    watcher = interrupt_when(lambda: any(EXECUTION in json.dumps(b) for b in provider.bodies))
    ran = connected("chat", "17*23?")
    watcher.join()
    assert ran.status == 130
    assert "stopped (user)" in ran.err
    assert "cancelled" not in connected("sessions", "list").out
    assert connected("audit").status == 0


def test_without_a_key_a_rehearsal_answers_and_says_so(deployed: Callsheet) -> None:
    ran = deployed("chat", "17*23?")
    assert ran.status == 0
    assert "391" in ran.out
    assert "CALLSHEET_LLM__" in ran.err


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A keyboard: what is typed arrives at standard input."""
    keyboard, screen = pty.openpty()

    def type_text(text: str) -> None:
        os.write(keyboard, text.encode())

    with os.fdopen(screen, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield type_text
    os.close(keyboard)


def test_a_conversation_is_one_session_and_ends_with_the_input(
    connected: Callsheet, provider: FakeProvider, terminal: Callable[[str], None]
) -> None:
    terminal("first\n\nsecond\n\x04")
    ran = connected("chat")
    assert ran.status == 0, ran.err
    assert ran.out == "Here is your answer.\nHere is your answer.\n"
    assert "first" in json.dumps(provider.bodies[-2]), "the history goes along"
    listed = connected("sessions", "list").out.splitlines()
    assert len(listed) == 3
    assert "first" in listed[2]


def test_ctrl_c_at_the_prompt_ends_the_conversation(
    connected: Callsheet, terminal: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = threading.Event()
    read = LineReader.read

    async def noticed(reader: LineReader) -> str | None:
        waiting.set()
        return await read(reader)

    monkeypatch.setattr(LineReader, "read", noticed)
    watcher = interrupt_when(waiting.is_set)
    ran = connected("chat")
    watcher.join()
    assert (ran.status, ran.out) == (0, "")
