"""`init` writes what ships, and never over somebody's work."""

from __future__ import annotations

from pathlib import Path

from callsheet.kit.places import shipped
from callsheet.settings.reference import env_example
from tests.cli.conftest import Callsheet


def test_it_writes_a_folder_that_is_sound(callsheet: Callsheet, tmp_path: Path) -> None:
    ran = callsheet("init")
    assert ran.status == 0
    written = [line.removeprefix("wrote ") for line in ran.out.splitlines()]
    assert all((tmp_path / file).is_file() for file in written)
    assert {"config/llm_catalog.yaml", "crews/chat/workflow.yaml", ".env"} <= set(written)
    agents = Path("crews") / "chat" / "agents.yaml"
    assert (tmp_path / agents).read_bytes() == (shipped("crews") / "chat/agents.yaml").read_bytes()
    assert (tmp_path / ".env").read_text("utf-8") == env_example()
    assert (tmp_path / ".env").stat().st_mode & 0o077 == 0
    checked = callsheet("check")
    assert checked.status == 0
    assert str(tmp_path / "crews") in checked.out


def test_it_overwrites_nothing_unless_forced_and_secrets_never(
    callsheet: Callsheet, tmp_path: Path
) -> None:
    callsheet("init", "here")
    agents, env = tmp_path / "here/crews/chat/agents.yaml", tmp_path / "here/.env"
    agents.write_text("mine")
    env.write_text("CALLSHEET_CURRENCY=CNY")
    refused = callsheet("init", "here")
    assert refused.status == 2
    assert "here/crews/chat/agents.yaml" in refused.err
    assert agents.read_text() == "mine"
    assert callsheet("init", "here", "--force").status == 0
    assert agents.read_text() != "mine"
    assert env.read_text() == "CALLSHEET_CURRENCY=CNY"


def test_a_place_that_cannot_be_written_is_named(callsheet: Callsheet, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = callsheet("init", "file/inside")
    assert ran.status == 2
    assert "file/inside" in ran.err
