"""Which browsers' pages may read an answer."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

Headers = list[tuple[bytes, bytes]]

EXPOSED: Final = "X-Session-Id, X-Run-Id, X-Trace-Id, Retry-After"
_METHODS: Final = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
_REQUEST_HEADERS: Final = (
    "Authorization, Content-Type, Last-Event-ID, Accept, X-Trace-Id, traceparent"
)
_KEEP_S: Final = "600"

_VARY: Final = (b"vary", b"Origin")


def answer_headers(origin: str | None, allowed: Set[str]) -> Headers:
    """The headers of every answer, errors too; a foreign origin gets nothing but Vary."""
    if origin is None or origin not in allowed:
        return [_VARY]
    return [
        _VARY,
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-expose-headers", EXPOSED.encode()),
    ]


def is_preflight(method: str, origin: str | None, requested_method: str | None) -> bool:
    """Whether a browser asks what it may send."""
    return method == "OPTIONS" and origin is not None and requested_method is not None


def preflight_headers(origin: str, allowed: Set[str]) -> Headers | None:
    """The answer to a preflight; None: this origin may send nothing."""
    if origin not in allowed:
        return None
    return [
        *answer_headers(origin, allowed)[:3],
        (b"access-control-allow-methods", _METHODS.encode()),
        (b"access-control-allow-headers", _REQUEST_HEADERS.encode()),
        (b"access-control-max-age", _KEEP_S.encode()),
    ]
