"""A server that is reached by streamable HTTP, through the SDK's transport.

The SDK ends a whole session, with every call in it, for one answer that is none; and where the line
breaks while a call is answered it waits on. So it is given an HTTP client that makes both an error
of that one call.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client

from callsheet.kit import json
from callsheet.tools.mcp.answer_stream import TOO_LARGE, EventStream, whole
from callsheet.tools.mcp.message import lenient, strict
from callsheet.tools.mcp.server import Endpoint, McpServer
from callsheet.tools.mcp.streams import Streams

# Codes of our own for what never came from the server; the protocol leaves such to us.
NOT_ASKED: Final = -32_090
HTTP_STATUS: Final = -32_091
LINE_BROKE: Final = -32_092
# What a server says to a session that it does not know any more: older ones say 400.
_SESSION_GONE: Final = (400, 404)
_FORGOTTEN: Final = "it does not know our session any more"
_GRACE_S: Final = 30.0
_MOST_CONNECTIONS: Final = 64


@asynccontextmanager
async def http_streams(
    server: McpServer, endpoint: Endpoint, lost: Callable[[str], None]
) -> AsyncIterator[Streams]:
    """The streams of a session with it; `lost` is told where it is over."""
    client = await asyncio.to_thread(_client, server, endpoint, lost)  # it reads certificates
    async with (
        client,
        streamable_http_client(endpoint.url, http_client=client) as (inbox, outbox, _),
    ):
        yield inbox, outbox


def _client(
    server: McpServer, endpoint: Endpoint, lost: Callable[[str], None]
) -> httpx.AsyncClient:
    """Redirects are followed within the address's own origin alone, which the SDK sees to."""
    limits = httpx.Limits(max_connections=_MOST_CONNECTIONS)
    return httpx.AsyncClient(
        transport=Guard(httpx.AsyncHTTPTransport(limits=limits, trust_env=False), lost),
        # An answer is looked at as it comes, line by line.
        headers={"accept-encoding": "identity", **endpoint.headers},
        timeout=httpx.Timeout(server.connect_timeout_s, read=server.call_timeout_s + _GRACE_S),
        trust_env=False,
    )


class Guard(httpx.AsyncBaseTransport):
    """Stands between the SDK and the line."""

    def __init__(self, inner: httpx.AsyncBaseTransport, lost: Callable[[str], None]) -> None:
        self._inner = inner
        self._lost = lost

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer; to a message of ours there always is one."""
        if request.method != "POST":
            return await self._other(request)
        await request.aread()  # one that follows a redirect is not read yet
        wish = _Wish(request)
        try:
            response = await self._inner.handle_async_request(request)
            return await self._answer(response, wish)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return wish.failed(NOT_ASKED, f"it cannot be reached ({type(error).__name__})")
        except httpx.TransportError as error:
            why = str(error) if str(error) == TOO_LARGE else "the line broke"
            return wish.failed(LINE_BROKE, why)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()

    async def _other(self, request: httpx.Request) -> httpx.Response:
        """News (GET), and the end of a session (DELETE)."""
        if request.method != "GET":
            return await self._inner.handle_async_request(request)
        given = request.extensions.get("timeout", {})
        request.extensions["timeout"] = {**given, "read": None}  # there may be none for long
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.TransportError:
            # Nobody is there any more, to tell news or the rest of an answer.
            self._lost("it cannot be reached")
            raise
        if response.status_code in _SESSION_GONE:
            self._lost(_FORGOTTEN)
        if _is_events(response):
            return _with(response, EventStream(_stream_of(response)))
        return response

    async def _answer(self, response: httpx.Response, wish: _Wish) -> httpx.Response:
        status = response.status_code
        if status >= 400 or "content-encoding" in response.headers:
            await response.aclose()
            if status in _SESSION_GONE and wish.has_session:
                return wish.failed(NOT_ASKED, _FORGOTTEN)
            what = f"HTTP {status}" if status >= 400 else "what was compressed unasked"
            return wish.failed(HTTP_STATUS, f"it answered with {what}")
        if not wish.waits or status != 200:
            return response
        if _is_events(response):
            return _with(response, EventStream(_stream_of(response), wish.cut_off))
        body = await whole(_stream_of(response))
        await response.aclose()
        return _with(response, httpx.ByteStream(strict(body)))


class _Wish:
    """A message of ours, and how an answer to it is made up."""

    def __init__(self, request: httpx.Request) -> None:
        message = lenient(request.content)
        self._id: Any = message.get("id") if "method" in message else None
        self.waits = self._id is not None
        self.has_session = MCP_SESSION_ID in request.headers

    def failed(self, code: int, message: str) -> httpx.Response:
        """An error that the session takes for the server's; nothing for what is not answered."""
        if not self.waits:
            return httpx.Response(202)
        return httpx.Response(
            200, content=self._error(code, message), headers={"content-type": "application/json"}
        )

    def cut_off(self, reason: str) -> bytes:
        """The message that ends an answer which is not whole."""
        return self._error(LINE_BROKE, reason)

    def _error(self, code: int, message: str) -> bytes:
        error = {"code": code, "message": message}
        return json.encode({"jsonrpc": "2.0", "id": self._id, "error": error})


def _is_events(response: httpx.Response) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.lower().startswith("text/event-stream")


def _stream_of(response: httpx.Response) -> httpx.AsyncByteStream:
    stream = response.stream
    assert isinstance(stream, httpx.AsyncByteStream)  # noqa: S101 - of an async transport
    return stream


def _with(response: httpx.Response, stream: httpx.AsyncByteStream) -> httpx.Response:
    """The answer with other bytes."""
    kept = [(key, value) for key, value in response.headers.raw if key.lower() != b"content-length"]
    return httpx.Response(response.status_code, headers=kept, stream=stream)
