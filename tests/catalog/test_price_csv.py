"""A price list as CSV is the YAML's, line by line."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.catalog.price import Terms
from callsheet.catalog.price_csv import load_price_csv
from callsheet.kit.errors import ConfigError

HEAD = (
    "factory,model_code,currency,valid_from,window,unit,per_unit,up_to_input_tokens,"
    "input_per_million,cached_per_million,output_per_million,source,verified\n"
)
PLAIN = "qwen,flash,USD,2026-01-01T00:00:00Z,,,,,0.1,0.02,0.4,a bill,yes\n"
TIERS = (
    "qwen,max,CNY,2026-01-01T00:00:00Z,,,,32000,1.2,0.24,6,a bill,\n"
    "qwen,max,CNY,2026-01-01T00:00:00Z,,,,,3,0.6,15,a bill,\n"
)
ASR = "qwen,asr,CNY,2026-01-01T00:00:00Z,,second,0.00033,,,,,a bill,false\n"


def test_a_line_is_a_price_and_lines_of_one_price_are_its_tiers(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text(HEAD + PLAIN + TIERS + ASR)
    flash, largest, asr = load_price_csv(file).prices
    assert (flash.name, flash.verified, flash.currency) == ("qwen/flash", True, "USD")
    assert flash.input_per_million == Decimal("0.1")
    assert [row.tier_max_input for row in largest.terms] == [32_000, None]
    assert largest.terms[1].output_per_million == Decimal(15)
    assert asr.terms == (Terms("CNY", "second", per_unit=Decimal("0.00033")),)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (HEAD.replace("currency", "curency"), ":1:0: unknown column 'curency' (did you mean "
         "'currency'?)"),
        (HEAD.replace(",source", ""), ":1:0: the column 'source' is missing"),
        (HEAD + PLAIN.replace("0.02", ""), ":2:0: the key 'cached_per_million' is missing"),
        (HEAD + PLAIN.replace("0.1,", "-1,"), ":2:0: input_per_million: must be greater"),
        (HEAD + PLAIN + TIERS.replace("1.2", "much"), ":3:0: input_per_million: "),
        (HEAD + TIERS.replace(",3,0.6", ",3,"), ":3:0: "),
        (HEAD + TIERS.replace(",,3,", ",32000,3,"), ":3:0: the last tier has to be open"),
        (HEAD + TIERS.replace("15,a bill", "15,a list"), ":3:0: the tiers of one price have one "
         "'source': line 2 says otherwise"),
        (HEAD + PLAIN.replace("\n", ",more\n"), ":2:0: has more values than columns"),
        (HEAD + PLAIN.replace("yes", "perhaps"), ":2:0: verified: "),
        (HEAD + PLAIN.replace("a bill", '"a bill'), ": is not CSV: "),
    ],
)  # fmt: skip
def test_a_mistake_has_its_line(tmp_path: Path, text: str, found: str) -> None:
    file = tmp_path / "p.csv"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_price_csv(file)
    assert found in str(refused.value)
