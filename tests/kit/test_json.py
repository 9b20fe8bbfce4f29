"""JSON is strict both ways: what is written any reader takes, what is read is JSON."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.kit.json import cleaned, decode, decode_as_is, encode, is_deeper

LONE = "\ud800"


class Record(msgspec.Struct):
    """Something with a name."""

    name: str


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ({"a": [1, None, True, "世界"]}, '{"a":[1,null,true,"世界"]}'),
        ([math.nan, math.inf, -math.inf], "[null,null,null]"),
        (LONE, '"\ufffd"'),
        ({LONE: [LONE, {"k": (LONE,)}]}, '{"\ufffd":["\ufffd",{"k":["\ufffd"]}]}'),
        (MappingProxyType({"a": MappingProxyType({"b": 1})}), '{"a":{"b":1}}'),
        (MappingProxyType({"a": MappingProxyType({"b": LONE})}), '{"a":{"b":"\ufffd"}}'),
        (Record(name=f"x{LONE}"), '{"name":"x\ufffd"}'),
        ({"n": math.nan, "t": LONE}, '{"n":null,"t":"\ufffd"}'),
        (Decimal("0.000045"), '"0.000045"'),
        (b"abc", '"YWJj"'),
        ([{3}, frozenset({"a"})], '[[3],["a"]]'),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), '"2026-01-02T03:04:00Z"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        ({1: "a"}, '{"1":"a"}'),
        (2**70, "1180591620717411303424"),
        ({"v": 1 + 2j}, '{"v":"(1+2j)"}'),
    ],
)
def test_a_value_is_written_so_that_any_reader_takes_it(value: Any, spelled: str) -> None:
    assert encode(value).decode() == spelled


@given(VALUES)
def test_whatever_is_written_is_strict_and_read_back(value: Any) -> None:
    data = encode(value)

    def refuse(name: str) -> Any:
        raise AssertionError(name)

    assert decode(data) == json.loads(data, parse_constant=refuse)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "{'a': 1}",
        "[1,]",
        '{"a":1} x',
        "01",
        '"\x01"',
        b'"\xff"',
        '{"a": 1}'.encode("utf-16"),
        '{"a": 1}'.encode("utf-32-le"),
    ],
)
def test_what_is_not_json_in_utf8_is_refused(data: bytes | str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        decode(data)
    with pytest.raises(ValueError, match=r"\S"):
        decode_as_is(data)


def test_a_lone_surrogate_is_replaced_or_kept_for_a_caller_who_asks() -> None:
    data = b'{"\\ud800": ["x\\udfff", "\\ud83d\\ude00"]}'
    assert decode(data) == {"\ufffd": ["x\ufffd", "😀"]}
    assert decode_as_is(data) == {"\ud800": ["x\udfff", "😀"]}


def test_a_byte_order_mark_is_passed_over() -> None:
    assert decode(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_cleaning_reaches_every_string_and_leaves_the_rest() -> None:
    value = {"a\x00": ("b\x00", 1, None, 1.5, [True]), 7: "c"}
    assert cleaned(value) == {"a\ufffd": ["b\ufffd", 1, None, 1.5, [True]], "7": "c"}


@pytest.mark.parametrize(
    ("value", "depth"), [(1, 0), ([], 1), ({"a": 1}, 1), ([1, [2]], 2), ({"a": [{"b": ()}]}, 4)]
)
def test_depth_is_counted_in_lists_and_objects(value: object, depth: int) -> None:
    assert not is_deeper(value, depth)
    assert depth == 0 or is_deeper(value, depth - 1)
