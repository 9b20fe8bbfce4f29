"""The JSON schemas that authors write for a model's answer: what is taken, and how it is asked.

A schema is asked on the event loop about text that a model wrote. So its patterns are RE2's, which
take no longer than the text is long, and it refers to nothing outside itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import re2  # type: ignore[import-untyped]
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import (  # type: ignore[import-untyped]
    SchemaError,
    ValidationError,
    best_match,
)
from jsonschema.validators import extend  # type: ignore[import-untyped]
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from callsheet.kit.yaml_nodes import Place

_BY_NAME: Final = frozenset({"properties", "$defs", "dependentSchemas"})
_LITERAL: Final = frozenset({"enum", "const", "default", "examples", "required"})
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef"})
_QUIET: Final = re2.Options()
_QUIET.log_errors = False

Fault = tuple[Place, str]
"""Where in the schema, and what is wrong there."""


def faults(schema: Mapping[str, Any]) -> Iterator[Fault]:
    """Why the schema is not taken; nothing where it is."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        deepest = best_match([error]) or error
        yield tuple(deepest.absolute_path), f"is no JSON schema: {deepest.message}"[:300]
        return
    yield from _faults(schema, schema, ())


def validator_of(schema: Mapping[str, Any]) -> Draft202012Validator:
    """The validator of a schema that has no faults."""
    return _validator(json.dumps(schema, sort_keys=True))


def _faults(node: Any, whole: Mapping[str, Any], place: Place) -> Iterator[Fault]:
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from _faults(item, whole, (*place, index))
    if not isinstance(node, Mapping):
        return
    for key, value in node.items():
        here = (*place, key)
        if message := _wrong(key, value, whole):
            yield here, message
        elif key in _BY_NAME:
            for name, item in value.items():
                yield from _faults(item, whole, (*here, name))
        elif key not in _LITERAL:
            yield from _faults(value, whole, here)


def _wrong(key: str, value: Any, whole: Mapping[str, Any]) -> str | None:
    """What this keyword's value has against it."""
    if key == "pattern" and (reason := _no_pattern(value)):
        return f"is no pattern in RE2's form: {reason}"
    if key == "patternProperties":
        return "is not taken: name the keys under 'properties'"
    if key in _REFERENCES and not _leads_somewhere(value, whole):
        return f"leads nowhere in this schema: {value!r} (write '#/$defs/name')"
    return None


def _no_pattern(pattern: str) -> str | None:
    try:
        re2.compile(pattern, _QUIET)
    except re2.error as error:
        said = error.args[0]
        return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return None


def _leads_somewhere(reference: str, whole: Mapping[str, Any]) -> bool:
    resource = DRAFT202012.create_resource(whole)
    try:
        Registry().with_resource("", resource).resolver().lookup(reference)
    except Unresolvable:
        return False
    return True


def _fits_pattern(
    validator: Any, pattern: str, value: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    del schema
    if validator.is_type(value, "string") and not re2.search(pattern, value):
        yield ValidationError(f"{value[:100]!r} does not match {pattern!r}")


_Validator: Final = extend(Draft202012Validator, {"pattern": _fits_pattern})


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    return _Validator(json.loads(schema), registry=Registry())
