"""What a tool gives back, as text for the model."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from callsheet.tools.options import ToolOptions
from tests.tools.calls import Scripted, call


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

    def refuse(name: str) -> None:
        raise AssertionError(name)

    read = json.loads(outcome.content, parse_constant=refuse)
    assert read["mean"] == 1.5
    assert read["stddev"] is None
    assert read["max"] is None
    assert read["price"] is None
    assert read["tags"] == ["a", "b"]
    assert read["found"] == {"at": "2026-01-02T00:00:00Z", "price": "0.10"}
    assert read["7"] == "seven"
    assert read["half"] == "\ufffd"


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
