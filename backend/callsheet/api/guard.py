"""What a keyless local server refuses, so that no web page can spend money through it."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from callsheet.kit.errors import AppError, NotAllowedType, Refused

_FORMS: Final = frozenset(
    {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}
)
_BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Ask:
    """The part of a request that is judged before anything is read. None: no such header, or
    more than one `Host`, of which different programs would believe different ones.

    `port` is the one that the server listens on.
    """

    method: str
    port: int
    host: str | None
    origin: str | None
    content_type: str | None
    has_body: bool
    content_encoding: str | None = None


def check_local(ask: Ask, own_hosts: Set[str], allowed_origins: Set[str]) -> AppError | None:
    """Why a keyless local server refuses the request: a name or an origin that is not its own."""
    if not _is_own(ask.host, ask.port, own_hosts):
        return Refused(
            "This server has no keys and answers only under its own local names.",
            code="host_not_allowed",
        )
    if ask.origin is None or ask.origin in allowed_origins or is_own_origin(ask, own_hosts):
        return None
    return Refused(
        "This origin is not in the list that may use this server (CALLSHEET_CORS__ORIGINS).",
        code="origin_not_allowed",
    )


def is_own_origin(ask: Ask, own_hosts: Set[str]) -> bool:
    """Whether the page that asks came from this very server."""
    scheme, mark, host = (ask.origin or "").partition("://")
    return bool(mark) and scheme in ("http", "https") and _is_own(host, ask.port, own_hosts)


def check_type(ask: Ask) -> AppError | None:
    """Why a body is not taken: only JSON is, which no form and no simple request can send.

    Without a body any type is taken that a form cannot name: some clients always name one.
    """
    kind = (ask.content_type or "").partition(";")[0].strip().lower()
    if ask.method not in _BODY_METHODS or not (ask.has_body or kind in _FORMS):
        return None
    packed = (ask.content_encoding or "identity").strip().lower()
    if packed != "identity":
        return NotAllowedType("The body must not be compressed.", field="Content-Encoding")
    if kind == "application/json":
        return None
    return NotAllowedType(
        f"The body must be application/json, not {kind or 'of an unnamed type'}.",
        field="Content-Type",
    )


def _is_own(host: str | None, port: int, own_hosts: Set[str]) -> bool:
    if not host or any(mark in host for mark in "@/?# "):
        return False
    try:
        parts = urlsplit(f"//{host}")
        return (parts.hostname or "") in own_hosts and (parts.port or 80) == port
    except ValueError:
        return False
