"""What a tool gives back, as text for the model."""

from __future__ import annotations

import json
import math
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pytest
from pydantic import BaseModel

from callsheet.tools.options import ToolOptions
from tests.tools.calls import Scripted, call


def refuse(name: str) -> None:
    raise AssertionError(name)


async def test_a_result_is_strict_json_whatever_it_holds() -> None:
    class Found(BaseModel):
        at: datetime
        price: Decimal

    value = {
        "mean": 1.5,
        "stddev": math.nan,
        "max": math.inf,
        "price": Decimal("NaN"),
        "tags": {"b", "a"},
        "raw": b"\xff\x00ok",
        "found": Found(at=datetime(2026, 1, 2, tzinfo=UTC), price=Decimal("0.10")),
        7: "seven",
        "half": "\ud800",
    }
    outcome = await call(Scripted(lambda args: value), '{"query":"a"}')

    read = json.loads(outcome.content, parse_constant=refuse)
    assert read["mean"] == 1.5
    assert read["stddev"] is None
    assert read["max"] is None
    assert read["price"] is None
    assert read["tags"] == ["a", "b"]
    assert read["found"] == {"at": "2026-01-02T00:00:00Z", "price": "0.10"}
    assert read["7"] == "seven"
    assert read["half"] == "\ufffd"


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    NO = "no"


@dataclass
class Point:
    x: float
    y: Decimal


class Pair(msgspec.Struct, rename="camel"):
    first_part: set[int]


class Spot(NamedTuple):
    a: int
    b: bytes


class Numbers:
    """As numpy's arrays and numbers are."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def tolist(self) -> Any:
        return self._value


class Celsius(float):
    """As a number of numpy is, a float too."""


class Odd:
    def __str__(self) -> str:
        return "odd\x00\ud800"


BERLIN = timezone(timedelta(hours=1))
ID = UUID("018f0000-0000-7000-8000-000000000001")


RULE: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (0.1, "0.1"),
    (-0.0, "-0.0"),
    (10**30, str(10**30)),
    (math.nan, "null"),
    (-math.inf, "null"),
    ([1, math.nan, [math.inf]], "[1,null,[null]]"),
    (Decimal("1.10"), '"1.10"'),
    (Decimal("1E+400"), '"1E+400"'),
    (Decimal("sNaN"), "null"),
    (Decimal("-Infinity"), "null"),
    (datetime(2026, 1, 2, 3, 4, 5, tzinfo=BERLIN), '"2026-01-02T03:04:05+01:00"'),
    (datetime(2026, 1, 2, 3), '"2026-01-02T03:00:00"'),  # noqa: DTZ001 - as tools give it
    (date(2026, 1, 2), '"2026-01-02"'),
    (time(3, 4), '"03:04:00"'),
    (timedelta(hours=1), '"PT3600S"'),
    (b"a\xff\x00", '"a\ufffd\ufffd"'),
    (bytearray(b"ab"), '"ab"'),
    (memoryview(b"ab"), '"ab"'),
    ({3, 1, 2}, "[1,2,3]"),
    (frozenset({"b", "a"}), '["a","b"]'),
    ({1, "a", None}, '[1,null,"a"]'),
    (deque([1, 2]), "[1,2]"),
    ((1, (2,)), "[1,[2]]"),
    ({"a": 1}.keys(), '["a"]'),
    ({"a": 1}.values(), "[1]"),
    (range(3), '"range(0, 3)"'),
    (ID, f'"{ID}"'),
    (Colour.RED, '"red"'),
    (Level.HIGH, "3"),
    (Word.NO, '"no"'),
    (Point(math.nan, Decimal("2.50")), '{"x":null,"y":"2.50"}'),
    (Pair({2, 1}), '{"first_part":[1,2]}'),
    (Spot(1, b"x"), '[1,"x"]'),
    (PurePosixPath("/tmp/a b"), '"/tmp/a b"'),
    (Fraction(1, 3), '"1/3"'),
    (complex(1, 2), '"(1+2j)"'),
    (Numbers([1.0, math.nan]), "[1.0,null]"),
    (Numbers(3), "3"),
    (Celsius(1.5), "1.5"),
    (Celsius("nan"), "null"),
    (Numbers(math.inf), "null"),
    ([Numbers([Numbers(1)])], "[[1]]"),
    (ValueError("no"), '"no"'),
    (Odd(), '"odd\ufffd\ufffd"'),
    (["a\x00", "\ud800", "\ud83d\ude00"], '["a\ufffd","\ufffd","\U0001f600"]'),
    ({"a\x00\udfff": 1}, '{"a\ufffd\ufffd":1}'),
    (
        {2: 1, None: 2, True: 3, 1.5: 4, ID: 5, Colour.RED: 6, b"k": 7, date(2026, 1, 2): 8},
        f'{{"2":1,"null":2,"true":3,"1.5":4,"{ID}":5,"red":6,"k":7,"2026-01-02":8}}',
    ),
    ({(1, 2): "pair"}, '{"(1, 2)":"pair"}'),
    (MappingProxyType({"a": math.nan}), '{"a":null}'),
    (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
]


@pytest.mark.parametrize(("value", "text"), RULE, ids=[text for _, text in RULE])
async def test_one_rule_for_everything(value: Any, text: str) -> None:
    outcome = await call(Scripted(lambda args: value), '{"query":"a"}')
    assert (outcome.status, outcome.content) == ("ok", text)
    json.loads(outcome.content, parse_constant=refuse)


async def test_text_stays_text() -> None:
    outcome = await call(Scripted(lambda args: '{"a": NaN} \x00'), '{"query":"a"}')
    assert outcome.content == '{"a": NaN} \ufffd'


async def test_a_result_that_cannot_be_written_down_is_an_error() -> None:
    loop: list[Any] = []
    loop.append(loop)
    outcome = await call(Scripted(lambda args: loop), '{"query":"a"}')
    assert outcome.status == "error"


async def test_a_long_result_is_cut_and_says_so() -> None:
    options = ToolOptions(max_result_chars=10)
    outcome = await call(Scripted(lambda args: "x" * 25), '{"query":"a"}', options=options)
    assert outcome.content == "x" * 10 + "\n[cut here: the first 10 of 25 characters]"


async def test_the_digest_is_that_of_the_json_not_of_its_spelling() -> None:
    tool = Scripted(lambda args: "ok")
    one = await call(tool, '{"query":"a","limit":2}')
    two = await call(tool, '{ "limit": 2, "query": "a" }')
    other = await call(tool, '{"query":"a","limit":3}')
    broken = await call(tool, '{"query":')
    assert one.args_digest == two.args_digest
    assert len({one.args_digest, other.args_digest, broken.args_digest}) == 3
    assert all(len(found.args_digest) == 64 for found in (one, other, broken))
