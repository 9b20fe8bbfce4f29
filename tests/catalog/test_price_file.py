"""Tiers, windows, units and rates in the files: what they come to, and every mistake's place."""

from __future__ import annotations

from datetime import UTC, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.catalog.files import load_price_list
from callsheet.catalog.fx import load_rates
from callsheet.catalog.price import PriceEntry, Terms
from callsheet.catalog.window import Hours
from callsheet.kit.errors import ConfigError

HEAD = """\
windows:
  - code: night
    timezone: Asia/Shanghai
    spans:
      - {from: 00:30, to: "08:30"}
      - {weekdays: [sat, sun], from: 00:00, to: 24:00}
prices:
"""
FORM = "factory: f, model_code: m, currency: CNY, valid_from: 2026-01-01T00:00:00+08:00, source: s"
TOKENS = "input_per_million: 1, cached_per_million: 0.2, output_per_million: 4"


def entry(tmp_path: Path, rest: str) -> PriceEntry:
    (tmp_path / "p.yaml").write_text(f"{HEAD}  - {{{FORM}, {rest}}}\n")
    (found,) = load_price_list(tmp_path / "p.yaml").prices
    return found


def problems(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_price_list(tmp_path / "p.yaml")
    return [str(each).removeprefix(f"{tmp_path}/") for each in caught.value.problems]


def of_entry(tmp_path: Path, rest: str) -> list[str]:
    """Problems of one entry on line 8, its own part on line 9."""
    found = problems(tmp_path, f"{HEAD}  - {{{FORM},\n{rest}}}\n")
    return [each.removeprefix("p.yaml:") for each in found]


def test_tiers_are_rows_whose_border_belongs_to_the_lower_one(tmp_path: Path) -> None:
    found = entry(
        tmp_path,
        "tiers: [{up_to_input_tokens: 32000, input_per_million: 1.2, cached_per_million: 0.24, "
        "output_per_million: 6, reasoning_per_million: 9}, {up_to_input_tokens: 128000, "
        "input_per_million: 2.4, cached_per_million: 0.48, output_per_million: 12}, "
        "{input_per_million: 3, cached_per_million: 0.6, output_per_million: 15}]",
    )

    def terms(low: int, high: int | None, *prices: str, **more: Decimal) -> Terms:
        return Terms("CNY", "token", low, high, *map(Decimal, prices), **more)

    assert found.terms == (
        terms(0, 32_000, "1.2", "0.24", "6", reasoning_per_million=Decimal(9)),
        terms(32_000, 128_000, "2.4", "0.48", "12"),
        terms(128_000, None, "3", "0.6", "15"),
    )
    assert found.valid_from == datetime(2025, 12, 31, 16, tzinfo=UTC)


def test_a_price_per_unit_is_one_row(tmp_path: Path) -> None:
    found = entry(tmp_path, "unit: second, per_unit: 0.0000900001")
    assert found.terms == (Terms("CNY", "second", per_unit=Decimal("0.0000900001")),)
    assert found.window_code == "any"


def test_a_window_is_its_spans_and_an_entry_names_it(tmp_path: Path) -> None:
    assert entry(tmp_path, f"window: night, {TOKENS}").window_code == "night"
    (window,) = load_price_list(tmp_path / "p.yaml").windows
    assert window.hours == {
        Hours("Asia/Shanghai", (1, 2, 3, 4, 5, 6, 7), time(0, 30), time(8, 30)),
        Hours("Asia/Shanghai", (6, 7), time(0), time(0)),
    }


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        (
            "input_per_million: 1, output_per_million: 4",
            "8:5: the key 'cached_per_million' is missing",
        ),
        ("unit: second", "8:5: the key 'per_unit' is missing"),
        (
            "unit: second, per_unit: 1, cached_per_million: 1",
            "9:48: a price per second has no prices of tokens",
        ),
        (f"per_unit: 1, {TOKENS}", "9:11: needs a 'unit' other than token"),
        ("unit: minute, per_unit: 1", "9:7: 'minute' is not one of"),
        (f"input: 1, {TOKENS}", "9:1: unknown key 'input' (did you mean 'input_per_million'?)"),
        (f"window: nigth, {TOKENS}", "9:9: no window is called 'nigth' (did you mean 'night'?)"),
        ("tiers: []", "9:8: must not be empty"),
        (f"tiers: [{{{TOKENS.replace('1', 'x')}}}]", "9:29: expected a number, found 'x'"),
        ("tiers: [3]", "9:9: expected a mapping"),
        (f"tiers: [{{{TOKENS}}}], cached_per_million: 2", "9:102: stands in the tiers already"),
        (
            f"tiers: [{{{TOKENS}}}, {{{TOKENS}}}]",
            "9:9: the key 'up_to_input_tokens' is missing: only the last tier is open",
        ),
        (
            f"tiers: [{{up_to_input_tokens: 5, {TOKENS}}}]",
            "9:30: the last tier has to be open",
        ),
        (
            f"tiers: [{{up_to_input_tokens: 0, {TOKENS}}}, {{{TOKENS}}}]",
            "9:30: must be greater than or equal to 1",
        ),
        (
            f"tiers: [{{up_to_input_tokens: 9, {TOKENS}}},\n{{up_to_input_tokens: 9, {TOKENS}}},"
            f"{{{TOKENS}}}]",
            "10:22: must be more than 9",
        ),
        (f"verified: yes, {TOKENS}", "9:11: expected true or false, found 'yes'"),
        (f"window: any, {TOKENS}", "9:9: 'any' stands for any time already"),
        (
            "input_per_million: 20000000, cached_per_million: 1, output_per_million: 1",
            "9:20: must be less than or equal to 10000000",
        ),
    ],
)
def test_one_mistake_of_an_entry_is_one_problem_with_its_place(
    tmp_path: Path, rest: str, found: str
) -> None:
    told = of_entry(tmp_path, rest)
    assert len(told) == 1, told
    assert told[0].startswith(found)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Asia/Shanghai", "Asia/Bejing", "3:15: 'Asia/Bejing' is no time zone"),
        ("code: night", "code: Night", "2:11: "),
        ("from: 00:30", "from: 0:30", "5:16: "),
        ("from: 00:30", "from: 08:30", "5:27: a span has to end at another time"),
        ("code: night", "cod: night", "2:5: unknown key 'cod' (did you mean 'code'?)"),
        ("timezone: Asia/Shanghai", "timezone: [UTC]", "3:15: "),
        ("[sat, sun]", "[sonntag]", "6:21: 'sonntag' is not one of mon, tue"),
        ("[sat, sun]", "[sat, sonntag]", "6:26: 'sonntag' is not one of mon, tue"),
        ("prices:", "  - {code: night, timezone: UTC, spans: [{from: 01:00, to: 02:00}]}\nprices:",
         "7:12: the window 'night' is listed twice"),
    ],
)  # fmt: skip
def test_a_mistake_of_a_window_has_its_place(
    tmp_path: Path, old: str, new: str, found: str
) -> None:
    assert old in HEAD
    entries = f"  - {{{FORM}, {TOKENS}}}\n  - {{{FORM}, window: night, {TOKENS}}}\n"
    (told,) = problems(tmp_path, HEAD.replace(old, new) + entries)
    assert told.startswith(f"p.yaml:{found}")


def test_a_window_that_is_misspelt_is_told_beside_the_mistakes_of_another(tmp_path: Path) -> None:
    head = HEAD.replace("Asia/Shanghai", "Asia/Bejing")
    entries = "".join(
        f"  - {{{FORM}, window: {window}, {TOKENS}}}\n" for window in ("night", "nigth")
    )
    assert [each.partition(" ")[2] for each in problems(tmp_path, head + entries)] == [
        "'Asia/Bejing' is no time zone such as UTC or Asia/Shanghai",
        "no window is called 'nigth' (did you mean 'night'?)",
    ]


def test_prices_of_a_model_are_in_one_currency_and_unit_at_all_hours(tmp_path: Path) -> None:
    dollars = FORM.replace("CNY", "USD")
    text = f"{HEAD}  - {{{FORM}, {TOKENS}}}\n  - {{{dollars}, window: night, {TOKENS}}}\n"
    assert problems(tmp_path, text) == ["p.yaml:9:5: f/m is priced per token in CNY at other hours"]


RATE = "{base: CNY, quote: USD, rate: 0.1389, valid_from: 2026-01-01T00:00:00Z, source: a bank}"


def test_rates_are_read_exactly_and_need_no_file(tmp_path: Path) -> None:
    assert load_rates(tmp_path / "none.yaml").rates == ()
    (tmp_path / "fx.yaml").write_text(f"rates:\n  - {RATE}\n")
    (found,) = load_rates(tmp_path / "fx.yaml").rates
    assert (found.base, found.quote, found.rate) == ("CNY", "USD", Decimal("0.1389"))
    assert found.valid_from == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("0.1389", "0", "3:35: must be greater than 0, found '0'"),
        ("quote: USD", "quote: CNY", "3:24: is the same currency as 'base'"),
        ("CNY", "cny", "3:12: "),
        ("source: a bank", "", "3:5: the key 'source' is missing"),
        ("rate:", "rates:", "3:29: unknown key 'rates' (did you mean 'rate'?)"),
        ("0.1389", "0.14", "3:53: CNY has two rates to USD from that moment on"),
    ],
)
def test_a_mistake_of_a_rate_has_its_place(tmp_path: Path, old: str, new: str, found: str) -> None:
    wrong = RATE.replace(old, new, 1)
    (tmp_path / "fx.yaml").write_text(f"rates:\n  - {RATE}\n  - {wrong}\n")
    with pytest.raises(ConfigError) as caught:
        load_rates(tmp_path / "fx.yaml")
    (told,) = caught.value.problems
    assert str(told).startswith(f"{tmp_path}/fx.yaml:{found}")
