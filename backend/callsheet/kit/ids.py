"""Identifiers: time-ordered for what we make, derived for what a client named itself."""

from __future__ import annotations

import os
import re
import time
from typing import Final
from uuid import UUID, uuid5

_NAMESPACE: Final = UUID("6f0c1a52-5f0e-5b51-9a3e-3d1f6f4b7c11")
_USUAL: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def new_id() -> UUID:
    """A version 7 UUID: sorts by the millisecond in which it was made."""
    millis = time.time_ns() // 1_000_000
    rand = int.from_bytes(os.urandom(10))
    value = (millis & 0xFFFF_FFFF_FFFF) << 80
    value |= 0x7 << 76 | (rand >> 68 & 0xFFF) << 64
    value |= 0b10 << 62 | (rand & 0x3FFF_FFFF_FFFF_FFFF)
    return UUID(int=value)


def parse_uuid(raw: str) -> UUID | None:
    """The UUID that `raw` spells in its usual 36-character form, else None."""
    return UUID(raw) if _USUAL.fullmatch(raw) else None


def resolve_id(raw: str, user_id: UUID, kind: str) -> UUID:
    """The id under which a client's own name for a thread, run or message is stored.

    A UUID is taken as it is. Any other string becomes a version 5 UUID of user, kind and
    string, so that the same user's "my-thread" is found again and nobody else's is.
    """
    found = parse_uuid(raw)
    if found is not None:
        return found
    return uuid5(_NAMESPACE, f"{user_id}\x1f{kind}\x1f{raw}")


def part_id(message_id: UUID, part: str) -> UUID:
    """The id of a part of a message (its reasoning, say): always the same for the same message."""
    return uuid5(message_id, part)
