"""Fetches a key set over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from typing import Final

import aiohttp

from callsheet.auth.jwks import KeySet, NoKeySetError, parse_key_set

_WITHIN_S: Final = 5.0
_LARGEST_BYTES: Final = 262_144


class JwksEndpoint:
    """One address. No redirects, no cookies, no proxy from the environment."""

    def __init__(self, url: str, algorithms: Set[str], *, within_s: float = _WITHIN_S) -> None:
        self._url = url
        self._algorithms = algorithms
        self._within_s = within_s

    async def fetch(self) -> KeySet:
        """The keys that the provider has now; raises NoKeySetError."""
        try:
            async with asyncio.timeout(self._within_s):
                body = await self._body()
        except TimeoutError as error:
            raise NoKeySetError(f"no answer within {self._within_s:g} s") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NoKeySetError(f"it cannot be reached: {type(error).__name__}") from error
        return parse_key_set(body, self._algorithms)

    async def _body(self) -> bytes:
        # A session for each fetch: one comes every few minutes.
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), trust_env=False) as session,
            session.get(self._url, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise NoKeySetError(f"it answered {answer.status}")
            body = b""
            async for chunk in answer.content.iter_any():
                body += chunk
                if len(body) > _LARGEST_BYTES:
                    raise NoKeySetError(f"it has over {_LARGEST_BYTES} bytes")
            return body
