"""First prices are suggested with their traps, and a check says what is left to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Callsheet
from tests.cli.pricing import lines, seeded

__all__ = ["seeded"]

MAP = {
    "deepseek/deepseek-v3.2": {
        "input_cost_per_token": 2.8e-07,
        "output_cost_per_token": 4e-07,
        "cache_read_input_token_cost": 2.8e-08,
        "litellm_provider": "deepseek",
    },
    "dashscope/qwen3.5-flash": {
        "input_cost_per_token": 1e-07,
        "output_cost_per_token": 4e-07,
        "litellm_provider": "dashscope",
    },
}


@pytest.fixture
def litellm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed LiteLLM whose library cannot be imported: only its files are there."""
    site = tmp_path / "site"
    (site / "litellm").mkdir(parents=True)
    (site / "litellm" / "__init__.py").write_text("raise ImportError('it must not be imported')")
    name = "litellm/model_prices_and_context_window_backup.json"
    (site / name).write_text(json.dumps(MAP))
    info = site / "litellm-9.9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: litellm\nVersion: 9.9.9\n")
    (info / "RECORD").write_text(f"litellm/__init__.py,,\n{name},,\n")
    monkeypatch.syspath_prepend(str(site))


@pytest.mark.usefixtures("litellm")
def test_a_suggestion_names_its_traps_and_writes_nothing(seeded: Callsheet) -> None:
    before = seeded("prices", "list", "--all").out
    ran = seeded("prices", "suggest", "qwen3.5-flash")
    assert ran.status == 0
    assert 'source: "LiteLLM 9.9.9 dashscope/qwen3.5-flash, verify"' in ran.out
    assert "cached_per_million: 0.1" in ran.out
    assert "no cache price" in ran.err
    assert seeded("prices", "list", "--all").out == before


@pytest.mark.usefixtures("litellm")
def test_what_is_suggested_is_stored_on_demand_and_reads_as_a_list(
    deployed: Callsheet, tmp_path: Path
) -> None:
    deployed("init")
    shown = deployed("prices", "suggest")
    assert "rehearsal/rehearsal: not in the map" in shown.err
    (tmp_path / "list.yaml").write_text(shown.out)
    assert deployed("prices", "import", "list.yaml").status == 0
    assert deployed("prices", "suggest", "--write").status == 0
    rows = lines(deployed("prices", "list"), "deepseek/") + lines(
        deployed("prices", "list"), "qwen/"
    )
    assert [row[5:8] + row[10:11] for row in rows] == [
        ["0.28", "0.028", "0.4", "no"],
        ["0.1", "0.1", "0.4", "no"],
    ]


def test_without_litellm_the_command_that_installs_it_is_named(
    seeded: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent)])
    ran = seeded("prices", "suggest", "qwen3.5-flash")
    assert ran.status == 2
    assert "pip install 'callsheet[litellm]'" in ran.err


def test_check_finds_what_nobody_verified_and_then_nothing(
    seeded: Callsheet, tmp_path: Path
) -> None:
    ran = seeded("prices", "check")
    assert ran.status == 1
    assert "qwen/qwen3.5-flash: Nobody verified its price (source 'seed, verify')" in ran.out
    assert "rehearsal" not in ran.out
    for model, money in (("qwen3.5-flash", ("0.10", "0.02", "0.40")),
                         ("deepseek-v3.2", ("0.28", "0.028", "0.40"))):  # fmt: skip
        named = zip(("--input", "--cached", "--output"), money, strict=True)
        done = seeded(
            "prices", "set", model, *[word for pair in named for word in pair], "--verified"
        )
        assert f"/{model}: changed (verified: true)" in done.out
    ran = seeded("prices", "check")
    assert (ran.status, ran.out) == (0, "4 models are priced, and the prices were verified\n")


def test_check_names_the_command_for_a_model_without_a_price(deployed: Callsheet) -> None:
    deployed("init")
    ran = deployed("prices", "check")
    assert ran.status == 1
    assert "callsheet prices set deepseek/deepseek-v3.2" in ran.out
