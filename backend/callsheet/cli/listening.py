"""The HTTP server of `callsheet serve`: its socket, its start, its end."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import uvicorn

from callsheet.kit.errors import SetupError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

# Longer than runs are given to end (`Adapters.drain_s`), so that streams end with their runs.
_STREAMS_MAY_END_S: Final = 23
_BACKLOG: Final = 2048


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; SetupError says why there can be none."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise SetupError(f"{host!r} is no address: {error.strerror}. {_OTHER}") from error
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(_BACKLOG)
    except OSError as error:
        found.close()
        raise SetupError(
            f"Nothing can listen on {host} port {port}: {error.strerror}. {_OTHER}"
        ) from error
    return found


_OTHER: Final = "Choose another --host or --port."


def url_of(listening: socket.socket) -> str:
    """The address that a browser on this machine opens."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 (compared, not bound)
        host = "127.0.0.1"
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


class HttpServer(uvicorn.Server):
    """Serves `app` on one socket.

    `on_start` is called once requests are answered, `on_stop` when no new ones are taken: what
    is under way must end then.
    """

    def __init__(
        self, app: ASGIApp, on_start: Callable[[], None], on_stop: Callable[[], None] | None = None
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http="httptools",
                ws="none",
                log_config=None,  # ours is set up already
                access_log=False,  # the application logs requests, with their ids
                server_header=False,
                timeout_graceful_shutdown=_STREAMS_MAY_END_S,
            )
        )
        self._on_start = on_start
        self._on_stop = on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let what is under way end, then close."""
        if self._on_stop is not None:
            self._on_stop()
        await super().shutdown(sockets)
