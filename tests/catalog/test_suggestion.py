"""What LiteLLM's map comes to, and what to beware of in it."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from callsheet.catalog.files import load_price_list
from callsheet.catalog.litellm_map import LiteLlmMap
from callsheet.catalog.price import PriceList, Terms
from callsheet.catalog.price_yaml import price_yaml
from callsheet.catalog.suggestion import Suggestion, suggest_prices

NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
D = Decimal


def suggested(factory: str, *names: str, **entry: Any) -> Suggestion:
    """Of a map with one entry, whose key is the keyword's: `__` stands for the slash."""
    entries = {key.replace("__", "/"): value for key, value in entry.items()}
    return suggest_prices(factory, names, LiteLlmMap("1.2.3", entries), NOW)


def cost(text: str, **more: Any) -> dict[str, Any]:
    """Input, cached and output per token, in the map's way."""
    names = ("input_cost_per_token", "cache_read_input_token_cost", "output_cost_per_token")
    return {**dict(zip(names, map(D, text.split()), strict=True)), **more}


def terms(*prices: str, **more: Any) -> Terms:
    return Terms("USD", "token", 0, None, *map(D, prices), **more)


def test_money_is_exact_and_says_where_it_is_from() -> None:
    found = suggested("deepseek", "v3", deepseek__v3=cost("2.8e-07 2.8e-08 4e-07"))
    (entry,) = found.entries
    assert entry.terms == (terms("0.28", "0.028", "0.4"),)
    assert (entry.valid_from, entry.verified) == (NOW, False)
    assert entry.source == "LiteLLM 1.2.3 deepseek/v3, verify"
    assert found.traps == ()


def test_every_kind_of_token_is_taken() -> None:
    raw = cost(
        "2.5e-06 5e-07 7.5e-06",
        explicit_cache_read_input_token_cost=D("2.5e-07"),
        cache_creation_input_token_cost=D("3.125e-06"),
        output_cost_per_reasoning_token=D("9e-06"),
    )
    (entry,) = suggested("qwen", "max", dashscope__max=raw).entries
    assert entry.terms == (
        terms(
            "2.5",
            "0.5",
            "7.5",
            explicit_cached_per_million=D("0.25"),
            cache_write_per_million=D("3.125"),
            reasoning_per_million=D(9),
        ),
    )


def test_tiers_are_taken_and_the_last_is_open() -> None:
    tiers = [
        {"range": [D("32000.0"), D("252000.0")], **cost("2.4e-06 4.8e-07 1.2e-05")},
        {"range": [0, D("32000.0")], **cost("1.2e-06 2.4e-07 6e-06")},
    ]
    found = suggested("qwen", "max", dashscope__max={"tiered_pricing": tiers})
    (entry,) = found.entries
    assert [(row.tier_min_input, row.tier_max_input) for row in entry.terms] == [
        (0, 32_000),
        (32_000, None),
    ]
    assert entry.terms[1].input_per_million == D("2.4")
    assert "its last tier ends at 252000 tokens; here it is open" in found.traps


def test_prices_above_a_size_are_tiers_too() -> None:
    raw = cost(
        "3e-07 6e-08 1.2e-06",
        input_cost_per_token_above_512k_tokens=D("6e-07"),
        output_cost_per_token_above_512k_tokens=D("2.4e-06"),
    )
    (entry,) = suggested("minimax", "M3", minimax__M3=raw).entries
    small, large = entry.terms
    assert (small.tier_max_input, large.tier_min_input) == (512_000, 512_000)
    assert (large.input_per_million, large.cached_per_million) == (D("0.6"), D("0.06"))


def test_off_peak_hours_are_a_window_with_prices_of_its_own() -> None:
    block = {
        **cost("1.5e-07 3e-09 6e-07"),
        "windows": [
            {"hours_utc": ["04:00-06:00", "10:00-00:00"], "weekdays": [1, 2]},
            {"hours_utc": "00:00-00:00", "weekdays": [6, 7]},
        ],
    }
    raw = cost("3e-07 6e-09 1.2e-06", off_peak_pricing=block)
    found = suggested("deepseek", "v4", deepseek__v4=raw)
    (window,) = found.windows
    assert {(span.weekdays, span.start, span.end) for span in window.spans} == {
        (("mon", "tue"), "04:00", "06:00"),
        (("mon", "tue"), "10:00", "00:00"),
        (("sat", "sun"), "00:00", "00:00"),
    }
    peak, cheap = found.entries
    assert (peak.window, cheap.window) == (None, "deepseek-off-peak")
    assert cheap.terms == (terms("0.15", "0.003", "0.6"),)
    assert any("off-peak" in trap for trap in found.traps)


@pytest.mark.parametrize(
    ("factory", "key", "raw", "trap", "has_entry"),
    [
        ("zai", "zai/m", cost("0 0 0"), "price 0 in the map", False),
        ("zai", "zai/m", {"input_cost_per_token": D(1), "output_cost_per_token": D(1)},
         "no cache price", True),
        ("zai", "zai/m", {"input_cost_per_second": D(1)}, "no price per token", False),
        ("doubao", "volcengine/m", cost("1 1 1", litellm_provider="volcengine"),
         "converted from a list in CNY", True),
        ("kimi", "moonshot/m", cost("1 1 1", metadata={"comment": "8 CNY at 7.0"}),
         "converted from a list in CNY", True),
        ("zai", "zai/m", cost("1 1 1", deprecation_date="2026-07-24"),
         "deprecated from 2026-07-24 on", True),
        ("zai", "zai/m", cost("1 1 1", output_cost_per_reasoning_token=D(2)),
         "reasoning is priced apart", True),
        ("zai", "zai/m", cost("1 1 1", cache_creation_input_token_cost=D(0)),
         "cache write price 0", True),
        ("zai", "zai/m", cost("1 1 1", mode="image_generation"), "mode image_generation", True),
        ("kimi", "moonshot/m", cost("1 1 1", cache_creation_input_token_cost_above_1hr=D(6)),
         "kept for over an hour", True),
        ("zai", "reseller/m", cost("1 1 1"), "others sell it as reseller/m", False),
        ("zai", "zai/other", cost("1 1 1"), "not in the map", False),
    ],
)  # fmt: skip
def test_a_trap_is_named(
    factory: str, key: str, raw: dict[str, Any], trap: str, has_entry: bool
) -> None:
    found = suggest_prices(factory, ["m"], LiteLlmMap("1", {key: raw}), NOW)
    assert any(trap in each for each in found.traps), found.traps
    assert bool(found.entries) is has_entry


def test_a_key_without_a_provider_counts_where_its_entry_names_the_own_one() -> None:
    of_volcengine = cost("1e-06 1e-07 2e-06", litellm_provider="volcengine")
    assert suggested("doubao", "seed", seed=of_volcengine).key == "seed"
    assert suggested("zai", "seed", seed=of_volcengine).key is None


def test_the_providers_own_name_for_the_model_is_looked_for_too() -> None:
    found = suggested("qwen", "our-name", "qwen-max", dashscope__qwen_max=cost("1 1 1"))
    assert found.key is None
    entries = {"dashscope/qwen-max": cost("1e-06 1e-07 2e-06")}
    named = suggest_prices("qwen", ["our-name", "qwen-max"], LiteLlmMap("1", entries), NOW)
    assert (named.model_code, named.key) == ("our-name", "dashscope/qwen-max")


def test_a_suggestion_reads_back_as_the_same_list(tmp_path: Path) -> None:
    block = {**cost("1.5e-07 3e-09 6e-07"), "windows": [{"hours_utc": "10:00-00:00"}]}
    raw = cost(
        "1.1428571428571428e-06 6e-08 1.2e-06",
        off_peak_pricing=block,
        input_cost_per_token_above_128k_tokens=D("2e-06"),
    )
    found = suggested("deepseek", "v4", deepseek__v4=raw)
    listed = PriceList(windows=found.windows, prices=found.entries)
    (tmp_path / "p.yaml").write_text(price_yaml(listed))
    assert load_price_list(tmp_path / "p.yaml") == listed
