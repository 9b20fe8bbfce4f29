"""From the text that a model wrote to arguments that a tool can take."""

from __future__ import annotations

import hashlib
import math
from typing import Any, Final

import msgspec
from pydantic import BaseModel, ValidationError

from callsheet.kit import json
from callsheet.kit.errors import ToolRetry

_SHOWN_PROBLEMS: Final = 5
_sorted_encoder = msgspec.json.Encoder(order="deterministic")


def digest_of(text: str) -> str:
    """SHA-256 of the arguments, in hex: the same for the same JSON however it is written."""
    try:
        data = _sorted_encoder.encode(msgspec.json.decode(text))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        data = text.encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()


def parse_arguments(text: str, *, max_chars: int) -> dict[str, Any]:
    """The JSON object that `text` spells; no text at all is an object without keys.

    Raises:
        ToolRetry: it is none; the message says what to send instead.
    """
    if len(text) > max_chars:
        raise ToolRetry(f"The arguments are longer than {max_chars} characters; shorten them.")
    if not text.strip():
        return {}
    try:
        value = json.decode(text)
    except (ValueError, RecursionError) as error:
        raise ToolRetry(
            "The arguments are not valid JSON; send exactly one JSON object, complete, without "
            "NaN or Infinity and with nothing after it."
        ) from error
    if not isinstance(value, dict):
        raise ToolRetry(f"The arguments must be one JSON object, not {_kind(value)}.")
    if not _finite(value):
        raise ToolRetry("The arguments hold a number that is too large; send a finite one.")
    return value


def validated(args: type[BaseModel], values: dict[str, Any]) -> BaseModel:
    """`values` as the tool's own record.

    Raises:
        ToolRetry: they do not fit; the message names each field and what is wrong with it.
    """
    try:
        return args.model_validate(values)
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(part) for part in found['loc']) or 'arguments'}: {found['msg']}"
            for found in error.errors(include_url=False, include_context=False, include_input=False)
        ]
    more = len(problems) - _SHOWN_PROBLEMS
    tail = f"; and {more} more" if more > 0 else ""
    raise ToolRetry("Wrong arguments: " + "; ".join(problems[:_SHOWN_PROBLEMS]) + tail)


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return True


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "a list"
    return "a text" if isinstance(value, str) else "a plain value"
