"""What docs/prices.md shows can be used as it is."""

from __future__ import annotations

import importlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from typer.main import get_command

from callsheet.api.price_fields import NewPrice
from callsheet.catalog.files import load_price_list
from callsheet.catalog.fx import load_rates
from tests.docs.pages import text_of

PAGE = text_of("docs/prices.md")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_list_is_read_as_it_stands(tmp_path: Path) -> None:
    listed, rates = blocks("yaml")
    (tmp_path / "p.yaml").write_text(listed)
    (tmp_path / "fx.yaml").write_text(rates)
    prices = load_price_list(tmp_path / "p.yaml")
    assert [len(entry.terms) for entry in prices.prices] == [1, 3, 1, 1, 1]
    assert len(load_rates(tmp_path / "fx.yaml").rates) == 1


def test_the_body_is_taken() -> None:
    (asked,) = blocks("json")
    price = msgspec.convert(json.loads(asked), NewPrice)
    entry = price.entry(datetime(2026, 12, 1, tzinfo=UTC))
    assert entry.valid_from == datetime(2027, 1, 1, tzinfo=UTC)


def test_the_commands_and_their_options_are_there() -> None:
    group = get_command(importlib.import_module("callsheet.cli.prices").app)
    table = [line for line in PAGE.splitlines() if line.startswith("| `callsheet prices ")]
    named = set()
    for line in table:
        for name, rest in re.findall(r"`callsheet prices ([a-z]+)([^`]*)`", line):
            named.add(name)
            command = group.commands[name]  # type: ignore[attr-defined]
            known = {option for each in command.params for option in each.opts}
            told = re.findall(r"--[a-z-]+", f"{rest} {line if name == 'set' else ''}")
            assert set(told) <= known, (name, told)
    assert named == set(group.commands)  # type: ignore[attr-defined]
