"""A tool's arguments as the JSON schema that a model sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic.errors import PydanticUserError

from callsheet.kit.errors import SetupError
from callsheet.tools.tool import Tool

_BY_NAME: Final = frozenset({"properties", "patternProperties"})
_CHOICES: Final = frozenset({"anyOf", "oneOf"})
_TOGETHER: Final = _CHOICES | {"allOf", "not", "if", "then", "else", "dependentSchemas"}
_LITERAL: Final = frozenset({"enum", "const", "default", "examples", "required"})


def function_schema(tool: Tool) -> dict[str, Any]:
    """The tool in OpenAI's function format.

    References are replaced by what they name (several providers do not follow them), titles
    are left out, and `X | None` is written as `X` where the argument may be left out anyway.

    Raises:
        SetupError: the arguments contain themselves, which no flat schema can say, or are of a
            type that JSON cannot hold.
    """
    try:
        schema = tool.Args.model_json_schema()
    except PydanticUserError as error:
        why = str(error).splitlines()[0]
        raise SetupError(f"The arguments of tool {tool.name!r} cannot be JSON: {why}") from error
    parameters = _flat(schema, schema.get("$defs", {}), (), tool.name)
    parameters.pop("description", None)
    parameters.setdefault("properties", {})
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters,
        },
    }


def closed(node: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with every object that names its members and says nothing of others closed.

    A model may send more than a tool knows, which is left out; a person is told. What several
    schemas say of one object together stays open.
    """
    out: dict[str, Any] = {}
    is_whole = not _TOGETHER & node.keys()
    for key, value in node.items():
        if key in _TOGETHER and ("properties" in node or key not in _CHOICES):
            out[key] = value
        elif key in _BY_NAME and isinstance(value, Mapping):
            out[key] = {name: closed(item) for name, item in value.items()}
        elif isinstance(value, Mapping) and key not in _LITERAL:
            out[key] = closed(value)
        elif isinstance(value, list) and key not in _LITERAL:
            out[key] = [closed(item) if isinstance(item, Mapping) else item for item in value]
        else:
            out[key] = value
    if "properties" in out and is_whole:
        out.setdefault("additionalProperties", False)
    return out


def _flat(
    node: Mapping[str, Any], defs: Mapping[str, Any], inside: tuple[str, ...], tool: str
) -> dict[str, Any]:
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        if name in inside:
            raise SetupError(f"The arguments of tool {tool!r} contain themselves: {name}.")
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _flat({**defs[name], **rest}, defs, (*inside, name), tool)
    out: dict[str, Any] = {}
    for key, value in _without_null(node).items():
        if key == "$defs" or (key == "title" and isinstance(value, str)):
            continue
        if key in _BY_NAME:
            out[key] = {name: _flat(item, defs, inside, tool) for name, item in value.items()}
        elif isinstance(value, Mapping) and key not in _LITERAL:
            out[key] = _flat(value, defs, inside, tool)
        elif isinstance(value, list) and key not in _LITERAL:
            out[key] = [
                _flat(item, defs, inside, tool) if isinstance(item, Mapping) else item
                for item in value
            ]
        else:
            out[key] = value
    return out


def _without_null(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """`anyOf: [X, null], default: null` as plain X."""
    choices = node.get("anyOf")
    if not isinstance(choices, list) or node.get("default", ...) is not None:
        return node
    others = [choice for choice in choices if choice != {"type": "null"}]
    rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
    if len(others) == 1 and "$ref" not in others[0]:
        return {**others[0], **rest}
    return {"anyOf": others, **rest}
