"""Answers from the first moment on, while the application is still being imported."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from callsheet.kit.errors import AppError, SetupError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from callsheet.cli.served import Served

_LIVE: Final = {"status": "live"}
_LOADING: Final = {
    "status": "warming",
    "parts": [{"name": "code", "ready": False, "needed": True, "detail": "loading"}],
}
_NEVER: Final = {"status": "failed", "parts": []}


class Front:
    """An ASGI application that becomes the one that `load` gives.

    Until then it answers `/health/` itself; every other request waits. `failed` is called when
    there will be none.
    """

    def __init__(
        self, load: Callable[[], Awaitable[Served]], failed: Callable[[Exception], None]
    ) -> None:
        self._load = load
        self._failed = failed
        self._served: Served | None = None
        self._settled = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if self._served is None and scope["path"] == "/health/live":
            await _answer(send, 200, _LIVE)
            return
        if self._served is None and scope["path"] == "/health/ready":
            await _answer(send, 503, _LOADING)
            return
        await self._settled.wait()
        if self._served is None:
            await _answer(send, 503, _NEVER)
        else:
            await self._served.app(scope, receive, send)

    def drain(self) -> None:
        """No new requests come: what is under way is to end."""
        if self._served is not None:
            self._served.drain()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._serve(stop))
            await send({"type": "lifespan.startup.complete"})
            await receive()
            stop.set()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, stop: asyncio.Event) -> None:
        try:
            served = await self._load()
        except (SetupError, AppError) as failure:
            self._failed(failure)
            self._settled.set()
            return
        if stop.is_set():
            return
        async with served.lifetime:
            self._served = served
            self._settled.set()
            await stop.wait()


async def _answer(send: Send, status: int, document: dict[str, Any]) -> None:
    body = msgspec.json.encode(document)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
