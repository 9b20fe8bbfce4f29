"""A price list as CSV: one line for each price, several lines for the tiers of one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from callsheet.catalog.price import PER_MILLION, PriceEntry, PriceList
from callsheet.kit.errors import ConfigError, Problem
from callsheet.kit.json import encode
from callsheet.kit.yaml_source import read_bytes, text_of
from callsheet.kit.yaml_words import closest, said

_TIER: Final = ("up_to_input_tokens", *PER_MILLION)
_OF_ENTRY: Final = (
    "factory",
    "model_code",
    "currency",
    "valid_from",
    "window",
    "unit",
    "per_unit",
    "source",
    "verified",
)
_NEEDED: Final = ("factory", "model_code", "currency", "valid_from", "source")
_MOST_LINES: Final = 10_000
_WORDS: Final[Mapping[str, bool]] = {"true": True, "false": False, "yes": True, "no": False}

Line = tuple[int, dict[str, Any]]


def load_price_csv(file: Path) -> PriceList:
    """The prices; the head line names the columns, as the keys of llm_prices.yaml.

    Lines of one factory, model, window and `valid_from` are tiers, by `up_to_input_tokens`.

    Raises:
        ConfigError: every problem, with its line.
    """
    name = str(file)
    rows = csv.DictReader(io.StringIO(text_of(read_bytes(file, name), name)), strict=True)
    problems = list(_of_head(name, rows.fieldnames or ()))
    if problems:
        raise ConfigError(problems)
    groups: dict[tuple[Any, ...], list[Line]] = {}
    try:
        for row in rows:
            if rows.line_num > _MOST_LINES:
                problems.append(Problem(name, rows.line_num, 0, f"over {_MOST_LINES} lines"))
                break
            if None in row:
                problems.append(Problem(name, rows.line_num, 0, "has more values than columns"))
                continue
            values = {key: text.strip() for key, text in row.items() if text and text.strip()}
            key = tuple(
                values.get(each) for each in ("factory", "model_code", "window", "valid_from")
            )
            groups.setdefault(key, []).append((rows.line_num, values))
    except csv.Error as error:
        problems.append(Problem(name, rows.line_num, 0, f"is not CSV: {error}"))
    entries = [_entry(name, lines, problems) for lines in groups.values()]
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem.line))
    return PriceList(prices=tuple(entry for entry in entries if entry is not None))


def _of_head(name: str, columns: Any) -> Iterator[Problem]:
    known = {*_OF_ENTRY, *_TIER}
    for column in columns:
        if column not in known:
            message = f"unknown column {column!r}"
            yield Problem(name, 1, 0, message, closest(str(column), known))
    for column in _NEEDED:
        if column not in columns:
            yield Problem(name, 1, 0, f"the column {column!r} is missing")


def _entry(name: str, lines: list[Line], problems: list[Problem]) -> PriceEntry | None:
    first_line, first = lines[0]
    values: dict[str, Any] = {key: first[key] for key in _OF_ENTRY if key in first}
    if "verified" in values:
        values["verified"] = _WORDS.get(values["verified"].lower(), values["verified"])
    is_tiered = len(lines) > 1 or "up_to_input_tokens" in first
    tiers: list[dict[str, Any]] = [
        {key: line[key] for key in _TIER if key in line} for _, line in lines
    ]
    for tier in tiers:
        if tier.get("up_to_input_tokens", "").isdecimal():
            tier["up_to_input_tokens"] = int(tier["up_to_input_tokens"])
    values |= {"tiers": tiers} if is_tiered else tiers[0]
    for number, line in lines[1:]:
        for key in ("currency", "unit", "source", "verified", "per_unit"):
            if line.get(key) != first.get(key):
                message = (
                    f"the tiers of one price have one {key!r}: line {first_line} says otherwise"
                )
                problems.append(Problem(name, number, 0, message))
    try:
        entry = PriceEntry.model_validate_json(encode(values))
    except ValidationError as error:
        for each in error.errors(include_url=False):
            message = f"{each['loc'][-1]}: {said(each, None)[0]}"
            problems.append(Problem(name, _line_of(each["loc"], lines), 0, message))
        return None
    for place, message in entry.faults():
        problems.append(Problem(name, _line_of(place, lines), 0, message))
    return entry


def _line_of(place: tuple[Any, ...], lines: list[Line]) -> int:
    """The line of a tier where the place is in one, else of the price."""
    is_tier = len(place) > 1 and place[0] == "tiers" and isinstance(place[1], int)
    return lines[place[1]][0] if is_tier else lines[0][0]
