"""A run as server-sent events: one write for each batch, pings in silence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Final
from uuid import UUID

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from callsheet.agui.encoder import Encoder
from callsheet.agui.frame import PING
from callsheet.api.encoded import WhatWasSaid, encoded
from callsheet.events.entry import Entry
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log

Entries = AsyncGenerator[tuple[Entry, ...], None]

STREAM_HEADERS: Final = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}

_log = get_log(__name__)


def run_headers(session_id: UUID, run_id: UUID) -> dict[str, str]:
    """What an answer that shows a run says of it."""
    return {"X-Session-Id": str(session_id), "X-Run-Id": str(run_id)}


_STUCK_AFTER_PINGS: Final = 10
"""Whose connection takes nothing for as long as that is let go: it comes back, or is not there."""


class _ViewerGoneError(Exception):
    """The client closed the connection."""


class _ViewerStuckError(Exception):
    """The client has kept the connection and read nothing for long."""


class StreamResponse(Response):
    """Shows a run until it ends or the viewer goes away; the run does not depend on it."""

    def __init__(
        self,
        entries: Entries,
        encoder: Encoder,
        headers: Mapping[str, str],
        ping_after_s: float,
        said: WhatWasSaid,
        opening: bytes = b"",
    ) -> None:
        """`opening` are frames that are sent before there is any entry."""
        super().__init__(headers={**STREAM_HEADERS, **headers})
        del self.headers["content-length"]
        self._entries = entries
        self._encoder = encoder
        self._ping_after_s = ping_after_s
        self._said = said
        self._opening = opening
        self._sent_at_s = 0.0
        self._blocked_at_s: float | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send everything; returns when the stream is over on either side."""
        del scope
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            async with aclosing(self._entries), asyncio.TaskGroup() as group:
                self._sent_at_s = asyncio.get_running_loop().time()
                watch = group.create_task(self._watch(receive, send))
                await self._pump(send)
                watch.cancel()
        except* _ViewerGoneError:
            await send({"type": "http.response.body", "body": b""})  # nobody reads it
        except* _ViewerStuckError:
            _log.warning("viewer_stuck")  # the server closes what is not ended
        else:
            await send({"type": "http.response.body", "body": b""})

    async def _pump(self, send: Send) -> None:
        try:
            await self._write(self._opening, send)
            async for batch in self._entries:
                await self._write(await encoded(self._encoder, batch, self._said), send)
        except AppError as error:
            await self._write(self._encoder.break_off(error.error_code, str(error)), send)
        except Exception:  # noqa: BLE001 - the border of a stream that has begun
            _log.exception("stream broke off")
            broken = self._encoder.break_off("internal", "Something went wrong here.")
            await self._write(broken, send)
        else:
            ended = self._encoder.break_off("interrupted", "The server stopped before the end.")
            await self._write(ended, send)

    async def _write(self, data: bytes, send: Send) -> None:
        if data:
            time = asyncio.get_running_loop().time
            self._blocked_at_s = time()
            await send({"type": "http.response.body", "body": data, "more_body": True})
            self._blocked_at_s, self._sent_at_s = None, time()

    async def _watch(self, receive: Receive, send: Send) -> None:
        """Ping in silence; raise, which ends the pump, when the client is gone or stuck."""
        look_at_s = self._sent_at_s + self._ping_after_s
        while True:
            try:
                async with asyncio.timeout_at(look_at_s):
                    message = await receive()
            except TimeoutError:
                look_at_s = await self._look(send)
                continue
            if message["type"] == "http.disconnect":
                raise _ViewerGoneError

    async def _look(self, send: Send) -> float:
        """Ping if nothing was sent for long; when to look again."""
        now = asyncio.get_running_loop().time()
        if self._blocked_at_s is not None:
            if now >= self._blocked_at_s + _STUCK_AFTER_PINGS * self._ping_after_s:
                raise _ViewerStuckError
            return now + self._ping_after_s
        if now >= self._sent_at_s + self._ping_after_s:
            await self._write(PING, send)
        return self._sent_at_s + self._ping_after_s
