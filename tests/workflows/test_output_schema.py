"""An author's schema cannot hold up the server, nor reach beyond itself."""

from __future__ import annotations

import time
from typing import Any

import pytest

from callsheet.kit.errors import TurnFailed
from callsheet.workflows.output import parse_output
from callsheet.workflows.output_schema import faults


def test_a_pattern_takes_no_longer_than_its_text() -> None:
    schema = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    began = time.process_time()
    with pytest.raises(TurnFailed, match="does not match"):
        parse_output('{"a": "' + "a" * 5_000 + 'b"}', schema)
    assert time.process_time() - began < 1
    assert parse_output('{"a": "aaa"}', schema) == {"a": "aaa"}


def test_nothing_is_fetched_for_a_schema(recwarn: pytest.WarningsRecorder) -> None:
    """The library would open any address, a file's too."""
    for address in ("http://127.0.0.1:9/x", "file:///etc/passwd"):
        assert [place for place, _ in faults({"$ref": address})] == [("$ref",)]
    assert recwarn.list == []


def test_a_schema_that_only_refers_to_itself_fails_the_answer_and_no_more() -> None:
    tree = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}
    assert list(faults(tree)) == []
    assert parse_output("[[[]]]", tree) == [[[]]]
    with pytest.raises(TurnFailed, match="nested too deeply"):
        parse_output("[]", {"allOf": [{"$ref": "#"}]})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"pattern": {"type": "string"}, "$ref": {"type": "string"}}},
        {"enum": [{"pattern": "("}]},
        {"properties": {"a": {"pattern": r"^\d{4}-\d\d$", "const": {"$ref": "x"}}}},
        {"$defs": {"x": {}}, "anyOf": [{"$ref": "#/$defs/x"}, {"not": {"$ref": "#"}}]},
    ],
)
def test_what_only_looks_like_a_keyword_is_left_alone(schema: dict[str, Any]) -> None:
    assert list(faults(schema)) == []
