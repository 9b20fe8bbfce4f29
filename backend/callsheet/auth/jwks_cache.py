"""Keeps the provider's keys, and asks for them anew when that may help."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final

from jwt import PyJWK

from callsheet.auth.jwks import KeySet, NoKeySetError
from callsheet.kit.clock import Clock
from callsheet.kit.errors import Unavailable
from callsheet.kit.log import get_log

FRESH_S: Final = 300.0
"""After this long the keys are asked for again, so that one that was withdrawn is taken no more."""
AGAIN_S: Final = 10.0
"""The provider is not asked more often, whatever tokens come."""

log = get_log(__name__)


class JwksCache:
    """The keys of one provider, asked for when the first token comes.

    A token that names an unknown key makes it ask again, and so does age. While the provider is
    away the keys that it gave last are good.
    """

    def __init__(self, fetch: Callable[[], Awaitable[KeySet]], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys = KeySet()
        self._fresh_until_s = -math.inf
        self._ask_from_s = -math.inf
        self._is_away = False
        self._asking = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> PyJWK | None:
        """The key that a token names, None where the provider does not have it.

        Raises Unavailable where it is not known and the provider cannot be asked.
        """
        now_s = self._clock.monotonic()
        found = self._keys.find(kid, algorithm)
        if found is not None and (now_s < self._fresh_until_s or self._asking.locked()):
            return found
        if now_s >= self._ask_from_s or self._asking.locked():
            async with self._asking:
                if self._clock.monotonic() >= self._ask_from_s:
                    await self._ask()
            found = self._keys.find(kid, algorithm)
        if found is None and self._is_away:
            raise Unavailable(
                "The identity provider's keys cannot be had now.",
                service="identity",
                retry_after_s=AGAIN_S,
            )
        return found

    async def _ask(self) -> None:
        now_s = self._clock.monotonic()
        self._ask_from_s = now_s + AGAIN_S
        self._is_away = True  # until it has answered, also when this is cancelled
        try:
            self._keys = await self._fetch()
        except NoKeySetError as error:
            log.warning("jwks_not_fetched", error=str(error))
            return
        self._is_away = False
        self._fresh_until_s = now_s + FRESH_S
