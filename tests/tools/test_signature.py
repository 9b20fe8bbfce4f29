"""What of a function cannot be a tool is refused, with the name of the function."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from callsheet.kit.errors import SetupError
from callsheet.tools.function import FunctionTool

if TYPE_CHECKING:
    from decimal import Decimal


def bare(a: int) -> int:
    return a


def untyped(a, b: int) -> int:  # type: ignore[no-untyped-def]
    """No type."""
    return b


def many(*words: str) -> None:
    """Any number."""


def more(**words: str) -> None:
    """Any name."""


def in_order(a: int, /) -> None:
    """By place."""


def yields(a: int) -> Any:
    """Yield."""
    yield a


def odd(a: threading.Thread) -> None:
    """No JSON."""


def unread(a: Decimal) -> None:
    """Imported for type checkers alone."""


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (bare, "has no docstring"),
        (untyped, "parameter 'a' of .*untyped has no type"),
        (many, r"takes \*words: .*str.*by its name"),
        (more, r"takes \*\*words"),
        (in_order, "by its name"),
        (yields, "yields"),
        (odd, "cannot be JSON"),
        (unread, "types of .*unread cannot be read: .*Decimal"),
        (functools.partial(bare, 1), "is no function"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_a_tool_is_refused_with_its_name(work: Callable[..., Any], why: str) -> None:
    with pytest.raises(SetupError, match=why):
        FunctionTool(work)
