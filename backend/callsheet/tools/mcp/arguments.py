"""Arguments held against a schema that a server wrote, in bounded time.

The check runs on the event loop over what a model wrote: patterns are RE2's, and a list with unique
items is looked through once. A pattern that RE2 does not know is left to the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import msgspec
import re2  # type: ignore[import-untyped]
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import SchemaError, ValidationError  # type: ignore[import-untyped]
from jsonschema.validators import extend, validator_for  # type: ignore[import-untyped]
from pydantic import RootModel, model_validator
from pydantic_core import PydanticCustomError

from callsheet.tools.mcp.flat import Unusable, flattened

_MOST_TOLD: Final = 5
_LONGEST_TOLD: Final = 200
_QUIET: Final = re2.Options()
_QUIET.log_errors = False
_sorted_json: Final = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def arguments_of(schema: Any) -> type[RootModel[dict[str, Any]]]:
    """The record of a tool's arguments, from the schema that its server gives it.

    Raises:
        Unusable: no tool can be made of it; says why.
    """
    flat = flattened(schema)
    dialect = _dialect_of(schema.get("$schema"))
    try:
        dialect.check_schema(flat, format_checker=None)
    except SchemaError as error:
        raise Unusable(f"its arguments have no JSON schema: {error.message}"[:300]) from error
    check = _bounded(dialect)(flat)

    class Arguments(RootModel[dict[str, Any]]):
        @model_validator(mode="after")
        def _fits(self) -> Arguments:
            found = [_told(error) for error in islice(check.iter_errors(self.root), _MOST_TOLD)]
            if found:
                raise PydanticCustomError("arguments", "{problems}", {"problems": "; ".join(found)})
            return self

        @classmethod
        def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
            """As the server wrote it, less its references."""
            del args, options
            return dict(flat)

    return Arguments


def _dialect_of(named: Any) -> Any:
    """The dialect that a schema says it is written in; the newest where it names none that is."""
    try:
        return validator_for({"$schema": named or ""}, default=Draft202012Validator)
    except (TypeError, ValueError, AttributeError):
        return Draft202012Validator


def _told(error: ValidationError) -> str:
    """What is wanted there; what was sent is not repeated."""
    place = ".".join(str(step) for step in error.absolute_path)
    wanted = error.validator_value
    match error.validator:
        case "required" | "pattern" | "additionalProperties" | "uniqueItems" | "dependentRequired":
            message = error.message
        case "type":
            message = f"must be of type {wanted}"
        case "enum" | "const":
            message = f"must be {'one of ' if error.validator == 'enum' else ''}{wanted}"
        case "anyOf" | "oneOf" | "allOf" | "not" | "if" | "contains" | "propertyNames":
            message = f"does not fit its schema ({error.validator})"
        case _:
            message = f"does not keep {error.validator}: {wanted}"
    return f"{place}: {message}"[:_LONGEST_TOLD] if place else message[:_LONGEST_TOLD]


@lru_cache(maxsize=8)
def _bounded(dialect: Any) -> Any:
    """The dialect with what could take long done otherwise."""
    return extend(
        dialect,
        {
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "additionalProperties": _additional_properties,
            "uniqueItems": _unique_items,
            # They look again at all that was looked at, by Python's own patterns.
            "unevaluatedProperties": _left_to_the_server,
            "unevaluatedItems": _left_to_the_server,
        },
    )


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    try:
        return re2.compile(pattern, _QUIET)
    except re2.error:
        return None


def _may_match(pattern: str, text: str) -> bool:
    compiled = _compiled(pattern)
    return compiled is None or compiled.search(text) is not None


def _pattern(check: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    del schema
    if check.is_type(value, "string") and not _may_match(pattern, value):
        yield ValidationError(f"does not match the pattern {pattern!r}")


def _pattern_properties(
    check: Any, patterns: Mapping[str, Any], value: Any, schema: Any
) -> Iterator[ValidationError]:
    del schema
    if not check.is_type(value, "object"):
        return
    for pattern, below in patterns.items():
        for key, item in value.items():
            if _compiled(pattern) is not None and _may_match(pattern, key):
                yield from check.descend(item, below, path=key, schema_path=pattern)


def _additional_properties(
    check: Any, below: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not check.is_type(value, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = [
        key
        for key in value
        if key not in named and not any(_may_match(each, key) for each in patterns)
    ]
    if below is False and extras:
        shown = ", ".join(repr(key[:64]) for key in extras[:_MOST_TOLD])
        yield ValidationError(f"there is no argument {shown}")
    elif check.is_type(below, "object"):
        for key in extras:
            yield from check.descend(value[key], below, path=key)


def _unique_items(check: Any, unique: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    del schema
    if not unique or not check.is_type(value, "array"):
        return
    if len({_sorted_json.encode(item) for item in value}) < len(value):
        yield ValidationError("holds the same item twice")


def _left_to_the_server(
    check: Any, below: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    del check, below, value, schema
    return iter(())
