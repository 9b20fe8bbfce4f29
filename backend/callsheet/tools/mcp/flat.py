"""A server's schema of arguments without references, and bounded.

A schema comes from a program that we do not know. What is made of it is a tree of at most
`MOST_PARTS` schemas, so that neither the model's provider nor the check of arguments meets anything
without end. Where a schema contains itself, anything is taken at the second time round: the server
checks the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from callsheet.kit import json

MOST_PARTS: Final = 2_000
DEEPEST: Final = 40
LARGEST_BYTES: Final = 128 * 1024

_BY_NAME: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE: Final = frozenset(
    {
        *("items", "additionalItems", "contains", "unevaluatedItems"),
        *("additionalProperties", "propertyNames", "unevaluatedProperties"),
        *("not", "if", "then", "else"),
    }
)
_PLAIN: Final = frozenset(
    {
        *("type", "enum", "const", "default", "examples", "required", "description", "title"),
        *("multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
        *("maxLength", "minLength", "pattern", "format", "contentEncoding", "contentMediaType"),
        *("maxItems", "minItems", "uniqueItems", "maxContains", "minContains"),
        *("maxProperties", "minProperties", "dependentRequired"),
        *("deprecated", "readOnly", "writeOnly"),
    }
)


class Unusable(Exception):
    """Why no tool can be made of a schema."""


def flattened(schema: Any) -> dict[str, Any]:
    """The schema of an object, without references and without words that are no schema's.

    Raises:
        Unusable: it is too large, refers to what is not in it, or describes no object.
    """
    if not isinstance(schema, Mapping):
        raise Unusable("its arguments have no schema")
    if len(json.encode(schema)) > LARGEST_BYTES:
        raise Unusable(f"the schema of its arguments is larger than {LARGEST_BYTES // 1024} KiB")
    flat = _Flattening(schema).schema(schema, ("#",), 0)
    if not isinstance(flat, dict) or not _may_be_object(flat.get("type", "object")):
        raise Unusable("the schema of its arguments describes no object")
    flat["type"] = "object"
    flat.setdefault("properties", {})
    if len(json.encode(flat)) > LARGEST_BYTES:
        raise Unusable(f"its schema is larger than {LARGEST_BYTES // 1024} KiB without references")
    return flat


def _may_be_object(kind: Any) -> bool:
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


class _Flattening:
    def __init__(self, whole: Mapping[str, Any]) -> None:
        self._whole = whole
        self._parts = 0

    def schema(self, node: Any, inside: tuple[str, ...], depth: int) -> Any:
        """`inside` are the references that led here."""
        self._parts += 1
        if self._parts > MOST_PARTS or depth > DEEPEST:
            raise Unusable("the schema of its arguments has too many parts")
        if isinstance(node, bool):
            return node
        if not isinstance(node, Mapping):
            raise Unusable("a part of its schema is no schema")
        for key in ("$dynamicRef", "$recursiveRef"):
            if key in node:
                raise Unusable(f"its schema uses {key}, which is not followed here")
        if "$ref" in node:
            return self._referred(node, inside, depth)
        return {
            key: value
            for name, item in node.items()
            for key, value in self._entry(str(name), item, inside, depth)
        }

    def _referred(self, node: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> Any:
        reference = str(node["$ref"])
        beside = {key: value for key, value in node.items() if key != "$ref"}
        if reference in inside:
            return {key: beside[key] for key in ("title", "description") if key in beside}
        target = self._target(reference)
        if isinstance(target, Mapping):
            target = {**target, **beside}
        return self.schema(target, (*inside, reference), depth + 1)

    def _entry(
        self, key: str, value: Any, inside: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, Any]]:
        below = depth + 1
        if key in _BY_NAME:
            if not isinstance(value, Mapping):
                raise Unusable(f"{key!r} of its schema is no mapping")
            yield key, {str(n): self.schema(item, inside, below) for n, item in value.items()}
        elif key in _LISTS or (key == "items" and isinstance(value, list)):
            if not isinstance(value, list):
                raise Unusable(f"{key!r} of its schema is no list")
            yield key, [self.schema(item, inside, below) for item in value]
        elif key in _SINGLE:
            yield key, self.schema(value, inside, below)
        elif key in _PLAIN:
            yield key, value

    def _target(self, reference: str) -> Any:
        """What a reference into this very schema names."""
        node: Any = self._whole
        pointer = reference.removeprefix("#")
        if not reference.startswith("#") or (pointer and not pointer.startswith("/")):
            raise Unusable(f"its schema refers to {reference[:80]!r}, which is not in it")
        for step in pointer.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isdecimal() and int(key) < len(node):
                node = node[int(key)]
            else:
                raise Unusable(f"its schema refers to {reference[:80]!r}, which is not in it")
        return node
