"""Keys that are made here: the key is shown once, its hash is kept."""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final, Literal
from uuid import UUID

from callsheet.auth.principal import Principal

START: Final = "csk_"
SHOWN_CHARS: Final = 12
LONGEST_LABEL: Final = 100
_RANDOM_CHARS: Final = 43  # 256 bits
_LETTERS: Final = string.ascii_letters + string.digits

KeyState = Literal["active", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class KnownKey:
    """What a key says of whoever sends it. `expires_at` None: never."""

    id: UUID
    principal: Principal
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """One key as people look at it; `prefix` is its first 12 characters."""

    id: UUID
    user_name: str
    label: str
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> KeyState:
        """Whether it lets its user in."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if has_expired(self.expires_at, now) else "active"


def make_key() -> str:
    """A new key; whoever loses it makes another."""
    return START + "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM_CHARS))


def looks_like_key(token: str) -> bool:
    """Whether `make_key` could have made it: nothing else is looked up."""
    rest = token.removeprefix(START)
    return token.startswith(START) and len(rest) == _RANDOM_CHARS and set(rest) <= set(_LETTERS)


def hash_of(key: str) -> bytes:
    """What is kept of a key. Keys are random, so that no salt and no slow hash is needed."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()


def has_expired(expires_at: datetime | None, now: datetime) -> bool:
    """Whether the moment has come."""
    return expires_at is not None and expires_at <= now
