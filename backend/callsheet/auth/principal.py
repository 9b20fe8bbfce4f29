"""Who makes a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from callsheet.kit.errors import Forbidden

ADMIN: Final = "admin"
"""The scope for prices, quotas and other users' reports."""
LONGEST_NAME: Final = 100
_USERS: Final = UUID("0b9c1d0e-6a52-5a4e-8f0e-5f5a1c7d2b90")


@dataclass(frozen=True, slots=True)
class Principal:
    """A known user. `user_id` is the key of `users` and of all that the user owns."""

    user_id: UUID
    name: str
    scopes: frozenset[str] = frozenset()


def user_id_of(name: str) -> UUID:
    """The id of the user of that name: the same on every machine and after every restart."""
    return uuid5(_USERS, name)


def principal_named(name: str, scopes: frozenset[str] = frozenset()) -> Principal:
    """The principal of that name."""
    return Principal(user_id=user_id_of(name), name=name, scopes=scopes)


def require_admin(principal: Principal) -> None:
    """Raise Forbidden for a caller without the scope `admin`."""
    if ADMIN not in principal.scopes:
        raise Forbidden(f"This needs the scope {ADMIN!r}.", scope=ADMIN)


def is_name(text: str) -> bool:
    """Whether a user can be called so: 1 to 100 printable characters, no space around them."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()
