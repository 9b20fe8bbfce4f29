"""What a schema says about a mistake, in plain words and with the right key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, RootModel

from callsheet.kit.yaml_nodes import MappingNode, Node, Place, ScalarNode, SequenceNode

_WANTED: Final[Mapping[str, str]] = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "a mapping of keys to values",
    "mapping_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "none_required": "nothing",
    "datetime_type": "a moment such as 2026-01-01T00:00:00Z",
    "datetime_parsing": "a moment such as 2026-01-01T00:00:00Z",
    "datetime_from_date_parsing": "a moment such as 2026-01-01T00:00:00Z",
    "timezone_aware": "a moment with its zone such as 2026-01-01T00:00:00Z",
}
# What the patterns of our schemas mean, for people.
_FORMS: Final[Mapping[str, str]] = {
    r"^[A-Z]{3}$": "a currency in three capitals such as USD",
    r"^([01][0-9]|2[0-3]):[0-5][0-9]$": 'a time of day such as "08:30"',
    r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$": 'a time of day such as "08:30", or "24:00"',
}
_SHOULD: Final = re.compile("^(Decimal input|Input|Value|List|Tuple|Set|Dictionary|String) should")
_QUOTED: Final = re.compile(r"'([^']*)'")


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; None where none is near."""
    names = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return names[found[0]] if found else None


def said(error: Mapping[str, Any], node: Node | None) -> tuple[str, str | None]:
    """Message and suggestion for one of Pydantic's errors at `node`; None: not from a file."""
    kind, context = error["type"], error.get("ctx", {})
    found = _shown(node) if node is not None else _shown_value(error.get("input"))
    if wanted := _WANTED.get(kind):
        return f"expected {wanted}, found {found}", None
    if kind == "too_short" and context.get("min_length") == 1:
        return "must not be empty", None
    if kind in ("literal_error", "enum"):
        options = _QUOTED.findall(str(context.get("expected", "")))
        text = node.text if isinstance(node, ScalarNode) else ""
        message = f"{found} is not one of {', '.join(options)}"
        return message, closest(text, options)
    if kind == "value_error":
        return str(context.get("error", error["msg"])), None
    if kind == "string_pattern_mismatch" and (form := _FORMS.get(context.get("pattern", ""))):
        return f"expected {form}, found {found}", None
    message = _SHOULD.sub("must", error["msg"])
    return f"{message}, found {found}", None


def keys_at(annotation: Any, place: Place) -> tuple[str, ...]:
    """The keys that the schema knows for the mapping at `place`."""
    return tuple(sorted({key for model in _models(annotation, place) for key in _keys(model)}))


def synonyms_at(annotation: Any, place: Place) -> Mapping[str, str]:
    """What other tools call the keys of the mapping at `place`: their word to ours."""
    found: dict[str, str] = {}
    for model in _models(annotation, place):
        found.update(getattr(model, "synonyms", {}))
    return found


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, info in model.model_fields.items():
        yield info.alias or name


def _models(annotation: Any, place: Place) -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = []
    for candidate in _unfolded(annotation):
        if isinstance(candidate, type) and issubclass(candidate, RootModel):
            found += _models(candidate.model_fields["root"].annotation, place)
        elif isinstance(candidate, type) and issubclass(candidate, BaseModel):
            found += [candidate] if not place else _models_in_field(candidate, place)
        elif place and (arguments := get_args(candidate)):
            found += _models(arguments[_value_argument(candidate)], place[1:])
    return found


def _models_in_field(model: type[BaseModel], place: Place) -> list[type[BaseModel]]:
    for name, info in model.model_fields.items():
        if place[0] in (name, info.alias):
            return _models(info.annotation, place[1:])
    return []


def _value_argument(candidate: Any) -> int:
    """Which type argument the values have: of a mapping the second, of a list the first."""
    origin = get_origin(candidate)
    return 1 if isinstance(origin, type) and issubclass(origin, Mapping) else 0


def _unfolded(annotation: Any) -> Iterator[Any]:
    """Through `X | None`, unions and `Annotated`."""
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if hasattr(annotation, "__metadata__"):
        yield from _unfolded(arguments[0])
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _unfolded(argument)
    else:
        yield annotation


def _shown_value(value: Any) -> str:
    if isinstance(value, str | int | Decimal):
        text = str(value)
        return repr(text if len(text) <= 40 else f"{text[:37]}...")
    return "something else"


def _shown(node: Node) -> str:
    match node:
        case ScalarNode(value=None):
            return "nothing"
        case ScalarNode():
            text = node.text if len(node.text) <= 40 else f"{node.text[:37]}..."
            return repr(text)
        case MappingNode():
            return "a mapping"
        case SequenceNode():
            return "a list"
