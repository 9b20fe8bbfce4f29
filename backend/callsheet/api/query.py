"""Query parameters: every name known, each once, texts bounded, flags true or false."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from fastapi import Request

from callsheet.kit.errors import BadInput
from callsheet.kit.text import clean

LONGEST_NAME: Final = 200
_FLAGS: Final = {"true": True, "false": False, None: False}


def check_parameters(request: Request, known: Set[str]) -> None:
    """Raise BadInput for a name that is unknown or doubled; `field` is the name.

    A misspelt parameter would answer another question, or change another user's things.
    """
    names = [name for name, _ in request.query_params.multi_items()]
    for name in names:
        if name not in known:
            raise BadInput(f"{name[:40]!r} is no parameter of this.", field=name[:40])
        if names.count(name) > 1:
            raise BadInput(f"{name} may stand once.", field=name)


def read_name(field: str, value: str | None) -> str | None:
    """The name of something, as the database can hold it; None where it is not given."""
    if value is None:
        return None
    if not 0 < len(value) <= LONGEST_NAME:
        raise BadInput(f"{field} must have 1 to {LONGEST_NAME} characters.", field=field)
    return clean(value)


def read_flag(field: str, value: str | None) -> bool:
    """A flag; False where it is not given."""
    if value not in _FLAGS:
        raise BadInput(f"{field} is true or false.", field=field)
    return _FLAGS[value]
