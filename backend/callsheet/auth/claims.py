"""What the claims of a token say, once its signature has been found good."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from callsheet.auth.options import TokenOptions
from callsheet.auth.principal import ADMIN, Principal, is_name, principal_named

Claims = Mapping[str, Any]
_LAST_MOMENT_S: Final = 1e12  # far beyond what a calendar holds; no NaN is below it


def principal_of(claims: Claims, options: TokenOptions, now: datetime) -> Principal | str:
    """Whose token it is, or why it is not taken.

    The user is named by `sub` alone: a name or an address among the claims may be anybody's.
    """
    untimely = why_untimely(claims, now.timestamp(), options.leeway_s)
    if untimely is not None:
        return untimely
    name = claims.get("sub")
    if not isinstance(name, str) or not is_name(name):
        return "its sub cannot be a user's name"
    scopes = frozenset({ADMIN}) if is_admin(claims, options) else frozenset[str]()
    return principal_named(name, scopes)


def why_untimely(claims: Claims, now_s: float, leeway_s: float) -> str | None:
    """Why the token does not hold at this moment, in seconds since 1970; it must expire once."""
    times = {name: claims[name] for name in ("exp", "nbf", "iat") if claims.get(name) is not None}
    for name, value in times.items():
        if not isinstance(value, int | float) or not abs(value) < _LAST_MOMENT_S:
            return f"its {name} is no moment"
    if "exp" not in times:
        return "it has no exp"
    if times["exp"] <= now_s - leeway_s:
        return "it has expired"
    early = [name for name in ("nbf", "iat") if times.get(name, 0) > now_s + leeway_s]
    return f"its {early[0]} is to come" if early else None


def is_admin(claims: Claims, options: TokenOptions) -> bool:
    """Whether the claim that the deployment names is, or holds, the value that it names."""
    if options.admin_claim is None:
        return False
    found = _at(claims, options.admin_claim)
    return options.admin_value in found if isinstance(found, list) else found == options.admin_value


def _at(claims: Claims, path: str) -> Any:
    """The claim of that very name (some are addresses, with dots), else what the dots lead to."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
