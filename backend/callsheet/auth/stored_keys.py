"""Callers with a key that was made with `callsheet keys`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from callsheet.auth.key import KnownKey, has_expired, hash_of, looks_like_key
from callsheet.auth.key_store import find_key
from callsheet.auth.key_uses import KeyUses
from callsheet.auth.principal import Principal
from callsheet.db.transaction import Database
from callsheet.kit.clock import Clock

KEPT_S: Final = 3.0
"""A revoked key is let in no longer than this."""
_MOST: Final = 4096  # answers that are remembered


class StoredKeys:
    """Implements `auth.bearer.Source`. An answer of the database, also "no", holds for 3 s."""

    def __init__(
        self, database: Callable[[], Database], clock: Clock, *, most: int = _MOST
    ) -> None:
        self._database = database
        self._clock = clock
        self._most = most
        self._kept: OrderedDict[bytes, tuple[float, KnownKey | None]] = OrderedDict()
        self.uses = KeyUses(database)

    async def find(self, token: str) -> Principal | None:
        """The user whose key it is, unless it has expired or was revoked; raises Unavailable."""
        if not looks_like_key(token):
            return None
        known = await self._known(hash_of(token))
        now = self._clock.now()
        if known is None or has_expired(known.expires_at, now):
            return None
        self.uses.note(known.id, now)
        return known.principal

    async def _known(self, key_hash: bytes) -> KnownKey | None:
        until_s, known = self._kept.get(key_hash, (0.0, None))
        asked_at_s = self._clock.monotonic()
        if asked_at_s < until_s:
            return known
        async with self._database().read() as tx:
            known = await find_key(tx, key_hash)
        # Counted from the question: the answer may be old when it comes.
        self._kept[key_hash] = (asked_at_s + KEPT_S, known)
        self._kept.move_to_end(key_hash)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return known
