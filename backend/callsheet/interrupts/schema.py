"""Whether an answer has the form that was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]
from referencing import Registry

_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class Misfit:
    """`path` leads to the member that does not fit, joined by slashes; `said` is for people."""

    path: str
    said: str


def misfit(schema: Mapping[str, Any], value: Any) -> Misfit | None:
    """What is wrong with the value, in words for whoever sent it; None where it fits."""
    try:
        error = best_match(_validator(json.dumps(schema, sort_keys=True)).iter_errors(value))
    except RecursionError:
        return Misfit("", "it is nested too deeply")
    except Exception:  # noqa: BLE001 - the border: a tool from outside wrote the schema
        return Misfit("", "nothing can be held against what is asked for here; leave it as it is")
    if error is None:
        return None
    place = "/".join(str(part) for part in error.absolute_path)
    said = f"{place}: {error.message}" if place else str(error.message)
    return Misfit("/".join(part for part in (place, _unknown(error)) if part), said[:_LONGEST])


def _unknown(error: Any) -> str:
    """The name of a member that may not be there, where that is what is wrong."""
    if error.validator != "additionalProperties" or not isinstance(error.instance, dict):
        return ""
    known = error.schema.get("properties", {})
    return next((name for name in error.instance if name not in known), "")


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema), registry=Registry())
