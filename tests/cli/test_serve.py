"""`serve` says where it listens, refuses what is unsafe, and ends in order."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli.deployment import secrets_of
from callsheet.cli.listening import listen, url_of
from callsheet.kit.errors import SetupError
from callsheet.settings.load import load_settings
from tests.cli.conftest import Callsheet


@contextmanager
def serving(folder: Path, **more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the address that it told."""
    environ = {name: value for name, value in os.environ.items() if "CALLSHEET" not in name}
    environ |= {"CALLSHEET_DATA_DIR": str(folder / "data"), "CALLSHEET_SERVER__PORT": "0", **more}
    process = subprocess.Popen(
        [sys.executable, "-c", "from callsheet.cli.app import main; main()", "serve"],
        cwd=folder,
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert "CALLSHEET_SERVER__PORT is" in said(process, "settings")["detail"]
        yield process, said(process, "listening")["url"]
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def said(process: subprocess.Popen[str], event: str) -> dict[str, Any]:
    """The next line of the log about this."""
    assert process.stderr is not None
    for line in process.stderr:
        found: dict[str, Any] = json.loads(line)
        if found["event"] == event:
            return found
    raise AssertionError(f"the log ended without {event!r}")


def get(url: str, authorization: str = "") -> str:
    headers = {"Authorization": authorization} if authorization else {}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return str(answer.read().decode())


def until_ready(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            get(f"{url}/health/ready")
            return
        except urllib.error.HTTPError as answer:
            answer.close()
            assert time.monotonic() < deadline, "it did not become ready"
            time.sleep(0.05)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_a_page_says_who_answers_and_ends_in_order(
    tmp_path: Path, database_url: str, kind: signal.Signals
) -> None:
    (tmp_path / ".env").write_text("CALLSHEET_SERVER__PORT=8000\n")
    with serving(tmp_path, CALLSHEET_DATABASE__URL=database_url) as (process, url):
        assert "CALLSHEET_LLM__" in said(process, "rehearsal")["detail"]
        assert "<html" in get(url)
        assert json.loads(get(f"{url}/health/live"))
        process.send_signal(kind)
        assert process.wait(60) in (0, -kind)


def test_a_port_that_is_taken_is_named(
    deployed: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = deployed("serve", "--port", str(port))
    assert ran.status == 2
    assert f"127.0.0.1 port {port}" in ran.err
    assert "--port" in ran.err


@pytest.mark.parametrize("wrong", [("--port", "99999"), ("--port", "x"), ("--host", " ")])
def test_an_option_that_cannot_be_is_named(deployed: Callsheet, wrong: tuple[str, str]) -> None:
    ran = deployed("serve", *wrong)
    assert ran.status == 2
    assert wrong[0] in ran.err
    assert "Traceback" not in ran.err


def test_every_secret_is_known_to_the_log() -> None:
    environ = {
        "CALLSHEET_DATABASE__URL": "postgresql://me:pa%40ssword@h/d",
        "CALLSHEET_AUTH__API_KEYS": "ann:ann-s-key",
        "CALLSHEET_AUTH__JWT__SECRET": "a-shared-secret-of-32-bytes-or-more",
        "CALLSHEET_AUTH__JWT__ISSUER": "https://id.example",
        "CALLSHEET_AUTH__JWT__AUDIENCE": "callsheet",
        "CALLSHEET_LLM__QWEN__API_KEY": "qwen-s-key",
    }
    known = set(secrets_of(load_settings(environ, Path("no such file")).settings))
    tokens = environ["CALLSHEET_AUTH__JWT__SECRET"]
    assert known == {"pa%40ssword", "pa@ssword", "ann-s-key", tokens, "qwen-s-key"}


def test_it_does_not_listen_to_others_without_a_key(deployed: Callsheet) -> None:
    ran = deployed("serve", "--host", "0.0.0.0")
    assert ran.status == 2
    assert "CALLSHEET_AUTH__API_KEYS" in ran.err


def test_keys_that_let_nobody_in_do_not_count(deployed: Callsheet) -> None:
    key = deployed("keys", "create", "--user", "ann").out.strip()
    deployed("keys", "revoke", key[:12])
    ran = deployed("serve", "--host", "0.0.0.0")
    assert ran.status == 2
    assert "callsheet keys create" in ran.err


@pytest.mark.parametrize("known_by", ["made key", "token"])
def test_it_listens_to_others_once_it_knows_somebody(
    tmp_path: Path, deployed: Callsheet, database_url: str, known_by: str
) -> None:
    (tmp_path / ".env").write_text("CALLSHEET_SERVER__PORT=8000\n")
    more = {"CALLSHEET_DATABASE__URL": database_url, "CALLSHEET_SERVER__HOST": "0.0.0.0"}
    header = "Bearer no-key"
    if known_by == "made key":
        header = "Bearer " + deployed("keys", "create", "--user", "ann").out.strip()
    else:
        more |= {
            "CALLSHEET_AUTH__JWT__SECRET": "a-shared-secret-of-32-bytes-or-more",
            "CALLSHEET_AUTH__JWT__ISSUER": "https://id.example",
            "CALLSHEET_AUTH__JWT__AUDIENCE": "callsheet",
        }
    with serving(tmp_path, **more) as (_, url):
        until_ready(url)
        with pytest.raises(urllib.error.HTTPError) as caught:
            get(f"{url}/v1/sessions")
        caught.value.close()
        assert caught.value.code == 401
        if known_by == "made key":
            assert json.loads(get(f"{url}/v1/sessions", header))["items"] == []


def test_a_database_that_is_away_ends_the_start(
    callsheet: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_DATABASE__URL", "postgresql://me:secret@127.0.0.1:1/none")
    ran = callsheet("serve", "--port", "0")
    assert ran.status == 2
    assert "cannot be reached" in ran.err
    assert "secret" not in ran.err


def test_a_broken_yaml_is_told_before_anything_starts(deployed: Callsheet, tmp_path: Path) -> None:
    deployed("init")
    (tmp_path / "crews/chat/workflow.yaml").write_text("stages: 3\n")
    began = time.monotonic()
    ran = deployed("serve", "--port", "0")
    assert ran.status == 2
    assert "workflow.yaml:1:" in ran.err
    assert time.monotonic() - began < 30


def test_an_address_is_shown_as_a_browser_takes_it() -> None:
    with listen("127.0.0.1", 0) as here:
        assert url_of(here) == f"http://127.0.0.1:{here.getsockname()[1]}"
    with listen("0.0.0.0", 0) as anywhere:
        assert url_of(anywhere).startswith("http://127.0.0.1:")
    with pytest.raises(SetupError, match=r"203\.0\.113\.1"):
        listen("203.0.113.1", 0)
