"""`check` tells every problem with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_a_broken_price_list_hides_no_problem_of_quotas_and_bills(
    callsheet: Callsheet, tmp_path: Path
) -> None:
    callsheet("init")
    config = tmp_path / "config"
    config.joinpath("fx_rates.yaml").write_text(
        "rates: [{base: cny, quote: USD, rate: 1, valid_from: 2026-01-01, source: x}]\n", "utf-8"
    )
    config.joinpath("quotas.yaml").write_text("limits: {user_dya: {cost: 1}}\n", "utf-8")
    config.joinpath("bills.yaml").write_text(
        "default: {columns: {day: [d], amount: [a]}, currency: USD, zone: Mars}\n", "utf-8"
    )
    told = callsheet("check").out
    assert (
        "fx_rates.yaml:1:16: expected a currency in three capitals such as USD, found 'cny'" in told
    )
    assert "expected a moment such as 2026-01-01T00:00:00Z, found '2026-01-01'" in told
    assert "quotas.yaml:1:10: unknown key 'user_dya' (did you mean 'user_day'?)" in told
    assert "bills.yaml:1:66: 'Mars' is no time zone" in told


def in_the_future(tmp_path: Path) -> None:
    prices = tmp_path / "config/llm_prices.yaml"
    text = prices.read_text("utf-8")
    later = "model_code: deepseek-v3.2\n    currency: USD\n    valid_from: 2099"
    assert later.replace("2099", "2026") in text
    prices.write_text(text.replace(later.replace("2099", "2026"), later), "utf-8")


def test_a_model_without_a_price_now_is_named_with_the_command(
    callsheet: Callsheet, tmp_path: Path
) -> None:
    callsheet("init")
    in_the_future(tmp_path)
    ran = callsheet("check")
    assert ran.status == 1
    assert "the model 'deepseek-v3.2' has no price" in ran.out
    assert "callsheet prices set deepseek/deepseek-v3.2" in ran.out
    assert ran.err.strip().endswith("1 problem")


@pytest.mark.parametrize("allow_unpriced", ["false", "true"])
def test_check_says_of_a_price_without_a_rate_what_the_server_says_that_does_not_start(
    deployed: Callsheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allow_unpriced: str
) -> None:
    monkeypatch.setenv("CALLSHEET_ALLOW_UNPRICED", allow_unpriced)
    deployed("init")
    prices = tmp_path / "config/llm_prices.yaml"
    text = prices.read_text("utf-8")
    prices.write_text(text.replace("currency: USD", "currency: CNY", 1), "utf-8")
    (told,) = deployed("check").out.splitlines()
    place, _, message = told.partition(": ")
    assert place.endswith("config/fx_rates.yaml:0:0")
    assert message.startswith("The server does not start: no rate to USD")
    assert message in deployed("serve", "--port", "0").err
    assert deployed("prices", "fx", "set", "CNY", "USD", "0.14").status == 0
    assert deployed("check").status == 0


def test_a_price_of_the_database_alone_is_one_too(deployed: Callsheet, tmp_path: Path) -> None:
    deployed("init")
    in_the_future(tmp_path)
    assert deployed("check").status == 1
    money = ("--input", "0.28", "--cached", "0.028", "--output", "0.4")
    assert deployed("prices", "set", "deepseek/deepseek-v3.2", *money).status == 0
    assert deployed("check").status == 0


def test_where_models_may_be_unpriced_prices_are_not_looked_for(
    callsheet: Callsheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    callsheet("init")
    in_the_future(tmp_path)
    monkeypatch.setenv("CALLSHEET_ALLOW_UNPRICED", "true")
    assert callsheet("check").status == 0
