"""The JSON in a model's answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]

from callsheet.kit.errors import TurnFailed
from callsheet.kit.json import decode
from callsheet.workflows.output_schema import validator_of

CODE: Final = "invalid_output"
_MAX_CHARS: Final = 200_000
_MAX_READ: Final = 2_000_000  # characters
_START: Final = re.compile(r"[{\[]")
_NOTHING: Final = object()


def parse_output(text: str, schema: Mapping[str, Any]) -> Any:
    """The value that the answer gives; of several the last one that fits the schema.

    Prose around it and a fence do not matter.

    Raises:
        TurnFailed: with the code `invalid_output`; the message says what is wrong, in words
            that may go back to the model.
    """
    if len(text) > _MAX_CHARS:
        raise TurnFailed(f"the answer has more than {_MAX_CHARS} characters", code=CODE)
    validator = validator_of(schema)
    try:
        fits, value = _first_fit(validator, text)
    except RecursionError:
        raise TurnFailed("the answer is nested too deeply for its schema", code=CODE) from None
    if fits:
        return value
    if value is _NOTHING:
        raise TurnFailed("the answer holds no JSON", code=CODE)
    raise TurnFailed(f"the answer does not fit its schema: {_why(validator, value)}", code=CODE)


def _first_fit(validator: Draft202012Validator, text: str) -> tuple[bool, Any]:
    """Whether any value in the text fits, and it, else the first that does not."""
    found: Any = _NOTHING
    for value in _candidates(text):
        if validator.is_valid(value):
            return True, value
        found = value if found is _NOTHING else found
    return False, found


def _candidates(text: str) -> Iterator[Any]:
    """The whole answer, then the JSON values inside it, the last one first."""
    try:
        value = decode(text.strip())
    except (ValueError, RecursionError):
        yield from reversed(_embedded(text))
    else:
        yield value
        if isinstance(value, str):  # JSON that was encoded twice
            yield from reversed(_embedded(value))


def _embedded(text: str) -> list[Any]:
    """Every object and array that stands in the text and in no other one.

    Looking for them ends when as much was read in vain as would hold up other turns.
    """
    values: list[Any] = []
    position, left = 0, _MAX_READ
    while left > 0 and (start := _START.search(text, position)):
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            # Reading, then the error, which counts the lines before it.
            left -= (error.pos - start.start()) + error.pos // 8 + 200
            position = start.end()
        except (ValueError, RecursionError):
            break
        else:
            values.append(value)
    return values


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _why(validator: Draft202012Validator, value: Any) -> str:
    error = best_match(validator.iter_errors(value))
    if error is None:
        return "unknown"
    place = "".join(f"[{step!r}]" for step in error.absolute_path)
    return f"{place} {error.message}".strip()[:500]


_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=_refuse)
