"""What a tool gave back, as the text that the model and the journal get."""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Iterable, Mapping, Set, ValuesView
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final

import msgspec
from pydantic import BaseModel

from callsheet.kit import json
from callsheet.kit.text import clean

_WHOLE: Final = (bool, int, float, str, bytes, bytearray, memoryview)
"""What has nothing inside, though some of it looks like many."""


def result_text(value: Any) -> str:
    """Text as it is, anything else as strict JSON.

    The one rule: what JSON has a form for takes it. NaN and infinities are null, decimals and dates
    text, bytes are read as UTF-8, sets are sorted lists; an enum is its value, a record (dataclass,
    Pydantic, msgspec) an object of its fields, an array of numbers a list. Anything else is its
    `str`. NUL and lone surrogates become U+FFFD, in keys too.
    """
    if isinstance(value, str) and not isinstance(value, Enum):
        return clean(value)
    return json.encode(_plain(value)).decode()


def clipped(text: str, *, max_chars: int) -> str:
    """The text, cut at `max_chars` characters with a note that says so."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[cut here: the first {max_chars} of {len(text)} characters]"


def _plain(value: Any) -> Any:
    """The value with each container and record opened, down to what the encoder knows."""
    opened = _opened(value.value if isinstance(value, Enum) else value)
    if isinstance(opened, Mapping):
        return {_key(key): _plain(item) for key, item in opened.items()}
    if isinstance(opened, list):
        return [_plain(item) for item in opened]
    return _single(opened)


def _opened(value: Any) -> Any:
    """A record as its fields, anything that is many as a list; everything else as it is."""
    if value is None or isinstance(value, _WHOLE):
        return value
    if isinstance(value, (BaseModel, msgspec.Struct)) or dataclasses.is_dataclass(value):
        return _fields(value)
    if isinstance(value, Set):
        return sorted(value, key=str)
    if isinstance(value, (list, tuple, deque, ValuesView)):
        return list(value)
    as_list = getattr(value, "tolist", None)  # numpy's and pandas' way, whose types are not ours
    return as_list() if callable(as_list) else value


def _fields(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, type):
        return value
    fields: Iterable[Any] = (
        msgspec.structs.fields(value)
        if isinstance(value, msgspec.Struct)
        else dataclasses.fields(value)
    )
    return {each.name: getattr(value, each.name) for each in fields}


def _single(value: Any) -> Any:
    """One value that has nothing inside."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return _as_text(value)


def _as_text(value: Any) -> str | None:
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return clean(bytes(value).decode("utf-8", "replace"))
    if isinstance(value, (datetime, date, time, timedelta)):
        value = msgspec.to_builtins(value)
    return clean(str.__str__(value) if isinstance(value, str) else str(value))


def _key(key: Any) -> str:
    """What JSON calls a member: always text."""
    if isinstance(key, Enum):
        return _key(key.value)
    if isinstance(key, (bool, float)) or key is None:
        return json.encode(key).decode()
    return str(_single(key))
