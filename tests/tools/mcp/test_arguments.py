"""Schemas that strangers wrote, and arguments held against them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import ValidationError

from callsheet.tools.mcp.arguments import arguments_of
from callsheet.tools.mcp.flat import Unusable
from callsheet.tools.schema import function_schema
from tests.tools.calls import Scripted

LONG_A = "a" * 30_000 + "!"


def shown(schema: dict[str, Any]) -> Any:
    """What a model sees of it."""
    tool = Scripted(lambda _: None, arguments_of(schema))
    return function_schema(tool)["function"]["parameters"]


def wrong(schema: dict[str, Any], values: dict[str, Any]) -> str:
    """What is told of the values; nothing where they are taken."""
    try:
        arguments_of(schema).model_validate(values)
    except ValidationError as error:
        return "; ".join(each["msg"] for each in error.errors())
    return ""


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_a_plain_schema_goes_to_the_model_as_it_is() -> None:
    schema = {**of(q={"type": "string", "description": "What."}), "required": ["q"]}
    assert shown(schema) == schema


@pytest.mark.parametrize("named", [5, ["x"], None, "http://[", "http://nobody.example/schema"])
def test_a_schema_of_a_dialect_that_nobody_knows_is_read_as_the_newest(named: Any) -> None:
    schema = {"$schema": named, **of(x={"type": "string"})}
    assert wrong(schema, {"x": 1}) == "x: must be of type string"


def test_references_are_replaced_wherever_they_lead() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": {"a b": {"type": "string", "maxLength": 5}},
        "properties": {
            "x": {"$ref": "#/definitions/a%20b", "description": "An x."},
            "y": {"type": "array", "items": {"$ref": "#/properties/x"}},
        },
    }
    text = {"type": "string", "maxLength": 5, "description": "An x."}
    assert shown(schema) == of(x=text, y={"type": "array", "items": text})
    assert wrong(schema, {"y": ["short", "too long"]}) == "y.1: does not keep maxLength: 5"


def test_a_schema_that_contains_itself_takes_anything_the_second_time_round() -> None:
    node = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
    kids = {"type": "array", "items": {}}
    assert shown(node) == of(kids=kids)
    assert wrong(node, {"kids": [{"kids": 5}]}) == ""
    assert wrong(node, {"kids": 5}) == "kids: must be of type array"


def test_words_that_are_no_schemas_are_left_out() -> None:
    schema = of(x={"type": "string", "x-order": {"$ref": "#/nowhere"}, "$comment": "hm"})
    assert shown({**schema, "$id": "https://elsewhere/", "x-y": 1}) == of(x={"type": "string"})


def test_a_schema_that_says_nothing_is_one_of_an_object() -> None:
    assert shown({}) == of()
    assert wrong({}, {"anything": 1}) == ""


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


DOUBLING = {
    "type": "object",
    "$defs": {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(40)
    }
    | {"d40": {"type": "string"}},
    "properties": {"x": {"$ref": "#/$defs/d0"}},
}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        5,
        [],
        True,
        {"type": "string"},
        {"type": ["string", "null"]},
        of(x={"$ref": "https://elsewhere/schema.json"}),
        of(x={"$ref": "other.json#/a"}),
        of(x={"$ref": "#/$defs/none"}),
        of(x={"$ref": "#anchor"}),
        of(x={"$dynamicRef": "#x"}),
        of(x={"type": "strin"}),
        of(x=5),
        of(x={"anyOf": {}}),
        {"type": "object", "properties": []},
        {"type": "object", "required": "x"},
        of(x={"enum": ["y" * 200_000]}),
        of(**{f"p{n}": {"type": "string"} for n in range(3_000)}),
        nested(100),
        DOUBLING,
    ],
    ids=lambda schema: str(schema)[:40],
)
def test_a_schema_of_no_use_is_said_to_be(schema: Any) -> None:
    with pytest.raises(Unusable):
        arguments_of(schema)


@pytest.mark.parametrize(
    ("schema", "values", "told"),
    [
        ({**of(), "required": ["a"]}, {}, "'a' is a required property"),
        (of(a={"type": "integer"}), {"a": "no"}, "a: must be of type integer"),
        (of(a={"enum": ["x", "y"]}), {"a": "z"}, "a: must be one of ['x', 'y']"),
        (of(a={"const": 1}), {"a": 2}, "a: must be 1"),
        (of(a={"minimum": 3}), {"a": 2}, "a: does not keep minimum: 3"),
        (
            {**of(a={}), "additionalProperties": False},
            {"a": 1, "b": 2},
            "there is no argument 'b'",
        ),
        (
            {**of(), "additionalProperties": {"type": "string"}},
            {"b": 2},
            "b: must be of type string",
        ),
        (of(a={"pattern": "^x+$"}), {"a": "y"}, "a: does not match the pattern '^x+$'"),
        (of(a={"uniqueItems": True}), {"a": [{"x": 1}, {"x": 1}]}, "a: holds the same item twice"),
        (of(a={"uniqueItems": True}), {"a": [1, True, "1"]}, ""),
        (
            {**of(), "patternProperties": {"^n_": {"type": "integer"}}},
            {"n_a": "x"},
            "n_a: must be of type integer",
        ),
        (
            {**of(), "patternProperties": {"^n_": {}}, "additionalProperties": False},
            {"n_a": "x", "m": 1},
            "there is no argument 'm'",
        ),
        (
            of(a={"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            {"a": "x"},
            "a: does not fit its schema (anyOf)",
        ),
        # A pattern that RE2 does not know is left to the server.
        (of(a={"pattern": "(?=x)y"}), {"a": "y"}, ""),
    ],
    ids=lambda case: str(case)[:40],
)
def test_arguments_are_held_against_it(
    schema: dict[str, Any], values: dict[str, Any], told: str
) -> None:
    assert wrong(schema, values) == told


def test_what_was_sent_is_not_repeated() -> None:
    schema = of(a={"type": "integer", "maximum": 5}, b={"anyOf": [{"type": "integer"}]})
    assert "secret" not in wrong(schema, {"a": "my secret", "b": "my secret"})


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        (of(a={"type": "string", "pattern": "^(a+)+$"}), {"a": LONG_A}),
        ({**of(), "patternProperties": {"^(a+)+$": {}}}, {LONG_A: 1}),
        (
            {**of(), "patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
            {LONG_A: 1},
        ),
        (
            {**of(), "patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
            {LONG_A: 1},
        ),
        (of(a={"type": "array", "uniqueItems": True}), {"a": [{"n": n} for n in range(8_000)]}),
    ],
)
def test_no_schema_keeps_the_loop_busy(schema: dict[str, Any], values: dict[str, Any]) -> None:
    started = time.perf_counter()
    wrong(schema, values)
    assert time.perf_counter() - started < 5


def test_the_arguments_are_what_the_model_wrote() -> None:
    made = arguments_of(of(a={"type": "integer", "default": 3})).model_validate({"b": [1, {}]})
    assert made.root == {"b": [1, {}]}
