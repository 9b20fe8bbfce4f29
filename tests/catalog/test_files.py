from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.catalog.files import load_catalog, load_seeds
from callsheet.kit.errors import ConfigError
from callsheet.kit.places import shipped

CATALOG = """\
factories:
  - {name: qwen, request_url: "https://q.example/v1"}
  - {name: deepseek, request_url: "https://d.example/v1"}
llms:
  - {model_code: flash, factory_id: qwen}
"""
PRICES = """\
prices:
  - &flash
    factory: qwen
    model_code: flash
    currency: USD
    valid_from: 2026-01-01T00:00:00Z
    input_per_million: 0.028
    cached_per_million: 0
    output_per_million: "0.40"
    source: a test
"""


def problems_of(tmp_path: Path, catalog: str, prices: str = PRICES) -> list[str]:
    (tmp_path / "c.yaml").write_text(catalog)
    (tmp_path / "p.yaml").write_text(prices)
    with pytest.raises(ConfigError) as caught:
        load_seeds(tmp_path / "c.yaml", tmp_path / "p.yaml")
    return [str(each).removeprefix(f"{tmp_path}/") for each in caught.value.problems]


def test_what_ships_has_six_factories_and_two_models_with_prices() -> None:
    seeds = load_seeds(
        shipped("config") / "llm_catalog.yaml", shipped("config") / "llm_prices.yaml"
    )
    assert {each.name: each.request_url for each in seeds.catalog.factories} == {
        "qwen": "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "minimax": "https://api.minimax.chat/v1",
        "kimi": "https://api.moonshot.cn/v1",
        "deepseek": "https://api.deepseek.com/v1",
        "doubao": "https://ark.cn-beijing.volces.com/api/v3",
        "zai": "https://api.z.ai/v1",
    }
    assert all(each.avatar for each in seeds.catalog.factories)
    assert [(each.model_code, each.factory_id) for each in seeds.catalog.llms] == [
        ("qwen3.5-flash", "qwen"),
        ("deepseek-v3.2", "deepseek"),
    ]
    assert [
        (p.factory, p.model_code, p.input_per_million, p.cached_per_million, p.output_per_million)
        for p in seeds.entries
    ] == [
        ("qwen", "qwen3.5-flash", Decimal("0.10"), Decimal("0.02"), Decimal("0.40")),
        ("deepseek", "deepseek-v3.2", Decimal("0.28"), Decimal("0.028"), Decimal("0.40")),
        ("rehearsal", "rehearsal", Decimal(0), Decimal(0), Decimal(0)),
        ("local", "smollm2", Decimal(0), Decimal(0), Decimal(0)),
    ]
    assert {p.currency for p in seeds.entries} == {"USD"}


def test_money_is_read_exactly_and_moments_with_their_zone(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(CATALOG)
    (tmp_path / "p.yaml").write_text(PRICES)
    (price,) = load_seeds(tmp_path / "c.yaml", tmp_path / "p.yaml").entries
    assert price.input_per_million == Decimal("0.028")
    assert price.output_per_million == Decimal("0.40")
    assert price.valid_from == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_model_of_no_factory_is_refused_with_its_line(tmp_path: Path) -> None:
    catalog = CATALOG + "  - {model_code: other, factory_id: qwem}\n"
    assert problems_of(tmp_path, catalog) == [
        "c.yaml:6:37: no factory is called 'qwem' (did you mean 'qwen'?)"
    ]


def test_all_problems_of_both_files_are_found_at_once(tmp_path: Path) -> None:
    catalog = (
        "factories:\n"
        "  - {name: qwen, request_uri: https://q.example/v1}\n"
        "  - {name: deepseek, request_url: ftp://d.example}\n"
        "  - {name: zai, request_url: https://z.example}\n"
        "  - {name: zai, request_url: https://z.example}\n"
        "llms:\n"
        "  - {model_code: flash, factory_id: zai}\n"
        "  - {model_code: flash, factory_id: zai}\n"
    )
    prices = (
        PRICES
        + "  - {<<: *flash, model_code: flush}\n"
        + "  - {<<: *flash, factory: zai, input_per_million: -1, model_code: flash2}\n"
        + "  - {<<: *flash, factory: zai}\n"
        + "  - {<<: *flash, factory: zai}\n"
        + "  - {<<: *flash, valid_from: 2026-02-01}\n"
    )
    found = problems_of(tmp_path, catalog, prices)
    assert found == [
        "c.yaml:2:18: unknown key 'request_uri' (did you mean 'request_url'?)",
        "c.yaml:3:35: 'ftp://d.example' is no http:// or https:// address",
        "c.yaml:5:12: the factory 'zai' is listed twice",
        "c.yaml:8:18: the model 'flash' is listed twice",
        "p.yaml:3:14: the model 'flash' belongs to another factory (did you mean 'zai'?)",
        "p.yaml:11:30: llm_catalog.yaml has no model 'flush' (did you mean 'flash'?)",
        "p.yaml:12:51: must be greater than or equal to 0, found '-1'",
        "p.yaml:12:67: llm_catalog.yaml has no model 'flash2' (did you mean 'flash'?)",
        "p.yaml:14:5: zai/flash has two prices from 2026-01-01 00:00 on",
        "p.yaml:15:30: expected a moment such as 2026-01-01T00:00:00Z, found '2026-02-01'",
    ]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml:0:0: there is no such file"):
        load_catalog(tmp_path / "none.yaml")
    (tmp_path / "p.yaml").write_text(PRICES)
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        load_seeds(tmp_path / "none.yaml", tmp_path / "p.yaml")
