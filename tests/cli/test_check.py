"""`check` tells every problem with its place."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Callsheet


def test_problems_of_several_files_come_at_once(callsheet: Callsheet, tmp_path: Path) -> None:
    callsheet("init")
    agents = tmp_path / "crews/chat/agents.yaml"
    agents.write_text(agents.read_text("utf-8").replace("max_output_tokens: 600", "max_outputs: 6"))
    tools = tmp_path / "config/tools.yaml"
    tools.write_text(tools.read_text("utf-8") + "\nsurprise: 1\n")
    ran = callsheet("check")
    assert ran.status == 1
    assert "agents.yaml:11:3: unknown key " in ran.out
    assert "tools.yaml:" in ran.out


def test_a_broken_catalog_hides_nothing_else(callsheet: Callsheet, tmp_path: Path) -> None:
    callsheet("init")
    catalog = tmp_path / "config/llm_catalog.yaml"
    catalog.write_text(catalog.read_text("utf-8").replace("factory_id: qwen", "factory_id: qwem"))
    tasks = tmp_path / "crews/chat/tasks.yaml"
    tasks.write_text(tasks.read_text("utf-8").replace("agent: writer", "agent: writter"))
    ran = callsheet("check")
    assert ran.status == 1
    assert "'qwem'" in ran.out
    assert "'writer'" in ran.out
