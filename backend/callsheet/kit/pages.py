"""Pages of a list: an opaque cursor stands for the last item that was given."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

import msgspec

from callsheet.kit.errors import BadInput

DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 200
_INT_RANGE: Final = 1 << 31

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list is wanted: `limit` items after `cursor`, None being the top."""

    limit: int = DEFAULT_PAGE
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items in list order; `next_cursor` is None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None = None


def encode_cursor(*key: str | int | datetime | UUID) -> str:
    """The sort key of the last item as an opaque word that is safe in a URL."""
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


def decode_cursor(cursor: str, *kinds: type[Any]) -> tuple[Any, ...]:
    """The sort key that `cursor` stands for, each value of the kind given.

    Raises BadInput (field `cursor`) for anything that `encode_cursor` did not make.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        data = base64.b64decode(padded, altchars=b"-_", validate=True)
        key: tuple[Any, ...] = msgspec.json.decode(data, type=tuple[kinds])  # type: ignore[valid-type]
        return tuple(_storable(value) for value in key)
    except (
        binascii.Error,
        UnicodeEncodeError,
        msgspec.MsgspecError,
        ArithmeticError,
        ValueError,
    ) as error:
        raise BadInput("The cursor is not one that this list gave.", field="cursor") from error


def _storable(value: Any) -> Any:
    """The value as the database can compare it: aware UTC, and an int that a column holds."""
    if isinstance(value, datetime):
        aware = value.replace(tzinfo=UTC) if value.tzinfo is None else value
        return aware.astimezone(UTC)
    if isinstance(value, int) and not -_INT_RANGE <= value < _INT_RANGE:
        raise ValueError(f"{value} is no column's")
    return value
