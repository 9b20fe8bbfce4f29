"""The doctor says what is missing and how to mend it."""

from __future__ import annotations

import asyncio
import re
import socket
from pathlib import Path

import pytest

from callsheet.cli.database_findings import schema
from callsheet.cli.let_in import let_in
from callsheet.cli.machine import data_folder, free_space, pinned, port, python
from callsheet.db.options import DatabaseOptions
from callsheet.db.revisions import Revisions
from callsheet.db.transaction import Database
from callsheet.runs.worker_locks import WorkerLock
from callsheet.settings.settings import ServerSettings, Settings
from tests.cli.conftest import Callsheet, Ran
from tests.fixtures.database import run_apart


def test_a_sound_deployment_is_status_0(
    deployed: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_SERVER__PORT", "0")
    ran = deployed("doctor")
    assert ran.status == 0, ran.out
    assert "database: PostgreSQL 1" in ran.out
    assert "a rehearsal model answers" in ran.out
    assert "CALLSHEET_LLM__QWEN__API_KEY" in ran.out


def test_keys_are_named_by_their_factory(
    deployed: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_LLM__QWEN__API_KEY", "sk-hidden-value")
    ran = deployed("doctor")
    assert "model keys: qwen" in ran.out
    assert "CALLSHEET_LLM__DEEPSEEK__API_KEY" in ran.out
    assert "hidden" not in ran.out + ran.err


def test_where_no_model_needs_a_key_nothing_is_rehearsed(
    deployed: Callsheet, tmp_path: Path
) -> None:
    deployed("init")
    facts = tmp_path / "config/models.yaml"
    text = facts.read_text("utf-8")
    open_to_all = re.sub(r"^  (qwen|deepseek).*:\n", r"\g<0>    auth: none\n", text, flags=re.M)
    facts.write_text(open_to_all, "utf-8")
    ran = deployed("doctor")
    assert "ok  model keys: none, and no model needs one" in ran.out
    assert "rehearsal" not in ran.out


def settings(host: str = "0.0.0.0", **auth: object) -> Settings:
    return Settings.model_validate({"server": {"host": host}, "auth": auth})


def test_who_is_let_in_is_told_without_any_key() -> None:
    alone = let_in(settings("127.0.0.1"), 0)
    assert (alone.state, "as one local user who is an admin" in alone.detail) == ("ok", True)
    assert let_in(settings("127.0.0.1"), 1).detail.endswith("admin; and 1 made key")
    many = let_in(
        settings(
            api_keys=("ada:sk-hidden-1", "bob:sk-hidden-2"),
            admins=("ada",),
            jwt={"secret": "s" * 32, "issuer": "https://id.example", "audience": "callsheet"},
        ),
        3,
    )
    assert many.detail == (
        "2 keys of CALLSHEET_AUTH__API_KEYS (admins: ada); 3 made keys; "
        "tokens of https://id.example"
    )
    assert let_in(settings(), 0).state == "missing"
    assert let_in(settings(), None).state == "warning"
    assert let_in(settings(api_keys=("nameless",)), 0).state == "missing"


def test_made_keys_are_counted_in_the_database(deployed: Callsheet) -> None:
    deployed("init")
    assert "who is let in: everybody on this machine" in deployed("doctor").out
    assert deployed("keys", "create", "--user", "ada").status == 0
    assert "who is an admin; and 1 made key\n" in deployed("doctor").out


def test_a_server_that_counts_days_in_another_zone_is_told(
    deployed: Callsheet, database_url: str
) -> None:
    deployed("init")

    async def beside(zone: str) -> Ran:
        database = Database.from_options(DatabaseOptions(database_url), pooled=False)
        async with WorkerLock(database, "a server", zone):
            return await asyncio.to_thread(deployed, "doctor")

    told = "budgets: a running server counts days in another time zone than UTC"
    ran = run_apart(beside("Asia/Shanghai"))
    assert told in ran.out
    assert "processes: 1 x server with worker\n" in ran.out
    assert told not in run_apart(beside("UTC")).out


def test_a_database_that_is_away_is_status_1_and_says_what_to_do(
    callsheet: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_DATABASE__URL", "postgresql://me:secret@127.0.0.1:1/none")
    ran = callsheet("doctor")
    assert ran.status == 1
    assert "database: does not answer" in ran.out
    assert "CALLSHEET_DATABASE__URL" in ran.out
    assert "secret" not in ran.out


def test_a_broken_configuration_is_status_1(callsheet: Callsheet, tmp_path: Path) -> None:
    callsheet("init")
    (tmp_path / "crews/chat/workflow.yaml").write_text("stages: 3\n")
    ran = callsheet("doctor")
    assert ran.status == 1
    assert "see `callsheet check`" in ran.out


def test_pythons_that_are_not_tested_are_named() -> None:
    assert python((3, 12, 1)).state == "ok"
    assert python((3, 10, 9)).state == "missing"
    assert python((3, 14, 0)).state == "missing"


def test_a_pinned_package_must_be_the_very_one() -> None:
    requirements = ["crewai==1.15.30", "msgspec>=0.23"]
    assert pinned("crewai", requirements, "1.15.30").state == "ok"
    other = pinned("crewai", requirements, "1.16.0")
    assert (other.state, other.mend) == ("missing", "Install crewai==1.15.30.")


def test_folders_that_cannot_be_made_are_named(tmp_path: Path) -> None:
    assert data_folder(tmp_path / "new" / "deep").detail.endswith("(will be made)")
    (tmp_path / "file").touch()
    assert data_folder(tmp_path / "file" / "below").state == "missing"
    assert free_space(tmp_path / "new").state in ("ok", "warning")


def test_a_port_in_use_and_a_foreign_address_are_told_apart() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = port(ServerSettings(port=taken.getsockname()[1]))
    assert (busy.state, busy.subject) == ("warning", "port")
    assert port(ServerSettings(host="203.0.113.1")).state == "missing"
    assert port(ServerSettings(port=0)).state == "ok"


def test_a_schema_is_current_behind_or_unknown() -> None:
    known = Revisions({"a": None, "b": "a"})
    assert schema("b", known).state == "ok"
    assert schema("a", known).state == "warning"
    assert schema(None, known).state == "warning"
    assert schema("z", known).state == "missing"


def test_without_an_engine_the_sandbox_is_a_warning(
    deployed: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLSHEET_SERVER__PORT", "0")
    monkeypatch.setenv("CALLSHEET_SANDBOX__DOCKER_HOST", "unix:///nowhere/docker.sock")
    ran = deployed("doctor")
    assert ran.status == 0, ran.out
    assert "!!  sandbox: No Docker engine answers at unix:///nowhere/docker.sock." in ran.out
    assert "python_executor is not offered" in ran.out
