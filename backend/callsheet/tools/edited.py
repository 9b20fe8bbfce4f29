"""Arguments that a person has changed, held against the tool's own record of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError


@dataclass(frozen=True, slots=True)
class WrongField:
    """`path` has the names on the way to it, joined by slashes; empty: the arguments as a whole."""

    path: str
    why: str


def wrong_field(args: type[BaseModel], values: Mapping[str, Any]) -> WrongField | None:
    """What the tool would refuse of the values first; None where it takes them."""
    try:
        args.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return WrongField("/".join(str(step) for step in first["loc"]), first["msg"])
    except Exception:  # noqa: BLE001 - the border: a tool's own check may break
        return WrongField("", "the tool cannot take them")
    return None
