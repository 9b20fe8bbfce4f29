"""The usage objects of one request, made one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_DEPTH: Final = 4


def folded(before: Any, now: Any, depth: int = _DEPTH) -> Any:
    """What is known after `now` has come: the last value of each field that is not null.

    Objects inside are folded the same way. Nothing is ever added up: a vendor that reports in
    each chunk reports the sum so far. What is no object does not replace one.
    """
    if now is None:
        return before
    if not isinstance(now, Mapping):
        return before if isinstance(before, Mapping) else now
    if not isinstance(before, Mapping) or depth == 0:
        return dict(now)
    return {
        **before,
        **{key: folded(before.get(key), value, depth - 1) for key, value in now.items()},
    }
