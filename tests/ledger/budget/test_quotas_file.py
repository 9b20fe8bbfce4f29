"""`quotas.yaml`: strict, with the line of every mistake."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.kit.errors import ConfigError
from callsheet.kit.places import shipped
from callsheet.ledger.budget.quotas_file import QuotaSettings, load_quotas
from callsheet.ledger.rate.rates import ProviderRate, UserRate


def load(tmp_path: Path, text: str) -> QuotaSettings:
    (tmp_path / "quotas.yaml").write_text(text)
    return load_quotas(tmp_path / "quotas.yaml", ["qwen", "deepseek"])


def problems_of(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    return [str(each).removeprefix(f"{tmp_path}/") for each in caught.value.problems]


def test_what_ships_limits_nothing() -> None:
    settings = load_quotas(shipped("config") / "quotas.yaml", [])
    assert settings.zone.key == "UTC"
    assert settings.limits.scopes == ()
    assert settings.users == {}
    assert not settings.user_rate.is_limited
    assert settings.provider_rates == {}


def test_the_examples_that_ship_are_valid(tmp_path: Path) -> None:
    shipped_text = (shipped("config") / "quotas.yaml").read_text("utf-8")
    lines = []
    for line in shipped_text.splitlines():
        if line.startswith("#  "):
            lines.append(line.removeprefix("#"))
        elif line.endswith(": {}"):
            lines.append(line.removesuffix(" {}"))
        else:
            lines.append(line)
    settings = load(tmp_path, "\n".join(lines))
    assert settings.limits.scopes == (
        "run", "session", "user_day", "user_month", "deployment_day"
    )  # fmt: skip
    assert settings.users == {"ada": {"user_day": {"cost": Decimal(10), "tokens": None}}}
    assert settings.user_rate == UserRate(20, 200000, 3)
    assert settings.provider_rates == {"qwen": ProviderRate(600, 1000000, 50)}


def test_a_folder_without_the_file_limits_nothing(tmp_path: Path) -> None:
    assert load_quotas(tmp_path / "quotas.yaml").limits.scopes == ()


def test_money_is_read_exactly(tmp_path: Path) -> None:
    settings = load(tmp_path, "limits: {run: {cost: 0.1}, user_day: {cost: '0.00000001'}}\n")
    assert settings.limits.of("run") == {"cost": Decimal("0.1")}
    assert settings.limits.of("user_day") == {"cost": Decimal("0.00000001")}


def test_null_is_no_limit(tmp_path: Path) -> None:
    assert load(tmp_path, "limits: {run: {cost: null}}\n").limits.scopes == ()


def test_every_mistake_is_told_with_its_place(tmp_path: Path) -> None:
    text = """\
timezone: Asia/Shangai
limits:
  run: {cost: 0.50, calls: -1}
  day: {cost: 5}
  session: {tokens: "many"}
users:
  ada: {user_day: {cost: null, tokens: 3}, deployment_day: {cost: 1}}
rates:
  user: {concurrent_runs: 0}
  providers: {qwem: {}}
"""
    assert problems_of(tmp_path, text) == [
        "quotas.yaml:1:11: 'Asia/Shangai' is no time zone such as UTC or Asia/Shanghai",
        "quotas.yaml:3:28: must be greater than or equal to 0, found '-1'",
        "quotas.yaml:4:3: unknown key 'day' (did you mean 'user_day'?)",
        "quotas.yaml:5:21: expected a whole number, found 'many'",
        "quotas.yaml:7:44: unknown key 'deployment_day'",
        "quotas.yaml:9:27: must be greater than or equal to 1, found '0'",
        "quotas.yaml:10:15: no factory is called 'qwem' (did you mean 'qwen'?)",
    ]
