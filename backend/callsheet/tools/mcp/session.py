"""A session with a server: the SDK's, with answers taken as they come.

This module and those that only it imports bring the SDK in (0.3 s): it is imported when the first
server is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import metadata
from typing import Any, Final

import anyio
from mcp import types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import McpError
from mcp.shared.session import ProgressFnT
from pydantic import BaseModel, ValidationError

from callsheet.kit.text import clean
from callsheet.tools.mcp.faults import CallRefused, ConnectionLost, NotAsked
from callsheet.tools.mcp.http import LINE_BROKE, NOT_ASKED, http_streams
from callsheet.tools.mcp.protocol import Answer, Call, Hear, ListedTool, News, Progress, Session
from callsheet.tools.mcp.result import masked
from callsheet.tools.mcp.server import McpServer, Program
from callsheet.tools.mcp.stdio import program_streams
from callsheet.tools.mcp.streams import Streams

_MOST_PAGES: Final = 50
_MOST_TOOLS: Final = 2_000
_SAY_STOP_WITHIN_S: Final = 2.0
_LONGEST_WORD: Final = 2_000


class _Page(BaseModel):
    """A page of tools of which one may be broken, as the SDK's own does not take it."""

    tools: list[Any] = []
    nextCursor: str | None = None  # noqa: N815 - the protocol's


class _Result(BaseModel):
    """A result with blocks of types that the SDK does not know."""

    content: list[Any] = []
    structuredContent: Any = None  # noqa: N815 - the protocol's
    isError: bool = False  # noqa: N815 - the protocol's


@asynccontextmanager
async def open_session(
    server: McpServer, environment: Mapping[str, str], news: News
) -> AsyncIterator[Session]:
    """Connect and greet; `environment` is what a program gets beside what its server names.

    It is entered and left in one task, as the SDK wants it.

    Raises:
        ServerDown: its program could not be started.
        CallRefused: it will not speak with us.
        Exception: whatever else happens on the way; `reason_of` says it in words.
    """

    async def heard(message: Any) -> None:
        if isinstance(message, RuntimeError):
            return  # an answer to a call that nobody waits for any more
        if isinstance(message, Exception):
            news.lost("it sent what is no message")
        elif isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            news.changed()

    async with (
        _streams(server, environment, news) as (inbox, outbox),
        ClientSession(
            inbox,
            outbox,
            message_handler=heard,
            client_info=types.Implementation(
                name="callsheet", version=metadata.version("callsheet")
            ),
        ) as session,
    ):
        try:
            await session.initialize()
        except McpError as error:
            raise _fault(error, server.secrets) from None
        yield SdkSession(session, server.secrets)


def _streams(
    server: McpServer, environment: Mapping[str, str], news: News
) -> AbstractAsyncContextManager[Streams]:
    if isinstance(server.reach, Program):
        return program_streams(server, server.reach, environment, news.lost)
    return http_streams(server, server.reach, news.lost)


class SdkSession:
    """Implements `Session`.

    The SDK's own `call_tool` holds results against a schema of the server's by patterns of the
    server's, without bounds; requests are therefore sent one level below it.
    """

    def __init__(self, session: ClientSession, secrets: Sequence[str] = ()) -> None:
        """`secrets` are in nothing that is told of a fault."""
        self._session = session
        self._secrets = secrets

    async def tools(self) -> Sequence[ListedTool]:
        """All pages; a list without end is cut."""
        found: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            request = types.ClientRequest(types.ListToolsRequest(params=params))
            try:
                page = await self._session.send_request(request, _Page)
            except McpError as error:
                raise _fault(error, self._secrets) from None
            found += [tool for each in page.tools if (tool := _listed(each)) is not None]
            if not page.nextCursor or page.nextCursor == cursor or len(found) > _MOST_TOOLS:
                break
            cursor = page.nextCursor
        return found[:_MOST_TOOLS]

    async def call(self, call: Call) -> Answer:
        """See `Session`."""
        params = types.CallToolRequestParams(name=call.tool, arguments=dict(call.arguments))
        request = types.ClientRequest(types.CallToolRequest(params=params))
        number = self._session._request_id  # of the next request: nothing is awaited in between
        try:
            result = await self._session.send_request(
                request, _Result, progress_callback=_told(call.hear, self._secrets)
            )
        except asyncio.CancelledError:
            await self._say_stop(number)
            raise
        except McpError as error:
            raise _fault(error, self._secrets) from None
        except ValidationError:
            raise CallRefused("it answered with what is no result") from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise NotAsked("the connection is closed") from None
        blocks = [block for block in result.content if isinstance(block, Mapping)]
        return Answer(blocks, result.structuredContent, result.isError)

    async def ping(self) -> None:
        """See `Session`."""
        try:
            await self._session.send_ping()
        except McpError as error:
            if error.error.code == NOT_ASKED:  # else it knows no pings, and has answered
                raise NotAsked(error.error.message) from None

    async def _say_stop(self, number: int) -> None:
        """Tell the server that nobody waits for it any more, where it still listens."""
        params = types.CancelledNotificationParams(requestId=number, reason="stopped")
        notification = types.ClientNotification(types.CancelledNotification(params=params))
        with contextlib.suppress(
            TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError
        ):
            async with asyncio.timeout(_SAY_STOP_WITHIN_S):
                await self._session.send_notification(notification)


def _listed(entry: Any) -> ListedTool | None:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        return None
    said = entry.get("annotations")
    hints: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    return ListedTool(
        name=entry["name"],
        schema=entry.get("inputSchema"),
        description=_text(entry.get("description")),
        title=_text(entry.get("title")) or _text(hints.get("title")),
        read_only=hints.get("readOnlyHint") is True,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _fault(error: McpError, secrets: Sequence[str]) -> Exception:
    code = error.error.code
    message = masked(clean(error.error.message), secrets)[:_LONGEST_WORD]
    if code == NOT_ASKED:
        return NotAsked(message)
    if code in (LINE_BROKE, types.CONNECTION_CLOSED):
        return ConnectionLost(message)
    wrong = code in (types.INVALID_PARAMS, types.METHOD_NOT_FOUND)
    return CallRefused(message, wrong_arguments=wrong)


def _told(hear: Hear | None, secrets: Sequence[str]) -> ProgressFnT | None:
    if hear is None:
        return None

    async def told(progress: float, total: float | None, message: str | None) -> None:
        hear(Progress(progress, total, masked(message or "", secrets)))

    return told
