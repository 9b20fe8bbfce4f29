"""The network transport: one pool of connections for all runs of a process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import aiohttp

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import Timeouts
from callsheet.llm.openai_compat.transport import FaultKind, Response, TransportError
from callsheet.llm.openai_compat.watch import Watch

_NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None)


class AiohttpTransport:
    """No cookies, no redirects, no proxy from the environment, certificates checked.

    The session is made on the loop that first needs it and belongs to that loop.
    """

    def __init__(self, *, max_connections: int = 1024, keepalive_s: float = 30.0) -> None:
        self._max_connections = max_connections
        self._keepalive_s = keepalive_s
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        timeouts: Timeouts,
        deadline: Deadline,
    ) -> AsyncIterator[Response]:
        """See `Transport.post`."""
        began = asyncio.get_running_loop().time()
        response = await self._head(url, headers, body, timeouts, deadline)
        watch = Watch(timeouts, deadline, began, response.close)
        try:
            yield _Received(response, watch)
        finally:
            watch.stop()
            response.close()

    async def aclose(self) -> None:
        """Close the pool; a later request makes a new one."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _head(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeouts: Timeouts,
        deadline: Deadline,
    ) -> aiohttp.ClientResponse:
        left_s, first_byte_s = deadline.left_s(), timeouts.first_byte_s
        late: FaultKind = "deadline" if left_s <= first_byte_s else "first_byte_timeout"
        try:
            async with asyncio.timeout(min(left_s, first_byte_s)):
                return await self._pool().post(
                    url,
                    headers=headers,
                    data=body,
                    allow_redirects=False,
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeouts.connect_s),
                )
        except aiohttp.ConnectionTimeoutError as error:
            raise TransportError("connect_timeout") from error
        except TimeoutError as error:
            raise TransportError(late) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TransportError("unreachable") from error

    def _pool(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self._max_connections,
                    keepalive_timeout=self._keepalive_s,
                    ttl_dns_cache=60,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=_NO_TIMEOUT,
                trust_env=False,
                skip_auto_headers=("User-Agent", "Accept"),
            )
        return self._session


class _Received:
    """A response of aiohttp, watched."""

    def __init__(self, response: aiohttp.ClientResponse, watch: Watch) -> None:
        self._response = response
        self._content = response.content
        self._watch = watch
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    async def read(self) -> bytes:
        watch = self._watch
        watch.wait()
        try:
            chunk = await self._content.readany()
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TransportError(watch.expired or "cut") from error
        watch.got()
        if not chunk and watch.expired:
            raise TransportError(watch.expired)
        return chunk

    async def drain(self, seconds: float) -> None:
        self._watch.stop()
        try:
            async with asyncio.timeout(seconds):
                while await self._content.readany():
                    pass
                self._response.release()
        except (TimeoutError, aiohttp.ClientError, OSError):
            self._response.close()
