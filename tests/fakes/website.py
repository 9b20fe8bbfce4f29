"""A small website on this machine, and a name service that says what a test wants."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from aiohttp import web

from callsheet.kit.errors import ToolFailed
from callsheet.tools.web.address import IpAddress

Page = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Website:
    """Answers each path of `pages`; `requests` has what was asked for, in order."""

    pages: dict[str, web.Response | Page] = field(default_factory=dict)
    requests: list[web.Request] = field(default_factory=list)
    port: int = 0

    @property
    def paths(self) -> list[str]:
        return [request.path_qs for request in self.requests]

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        """`path` sends who asks for it to `to`."""

        async def answer(request: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers={"Location": to})

        self.pages[path] = answer

    def page(
        self, path: str, body: str | bytes, media_type: str = "text/html", **more: str
    ) -> None:
        """`path` has this body; `more` are headers, `_` for `-`."""
        data = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": media_type} if media_type else {}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}

        async def answer(request: web.Request) -> web.StreamResponse:
            return web.Response(body=data, headers=headers)

        self.pages[path] = answer

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        assert isinstance(request, web.BaseRequest)
        self.requests.append(request)  # type: ignore[arg-type]  # a Request without an application
        page = self.pages.get(request.path)
        if page is None:
            return web.Response(status=404, text="not here")
        if isinstance(page, web.Response):
            return page
        return await page(request)  # type: ignore[arg-type]


@asynccontextmanager
async def website(tls: ssl.SSLContext | None = None) -> AsyncIterator[Website]:
    """It stands on 127.0.0.1 at `port` until the block ends."""
    site = Website()
    runner = web.ServerRunner(web.Server(site.answer), shutdown_timeout=0.1)
    await runner.setup()
    place = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await place.start()
    site.port = runner.addresses[0][1]
    try:
        yield site
    finally:
        await runner.cleanup()


@contextmanager
def website_beside() -> Iterator[Website]:
    """The same with a loop and a thread of its own, for what lives longer than one test."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="website", daemon=True)
    thread.start()

    def run(what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, loop).result(30)

    standing = website()
    try:
        yield run(standing.__aenter__())
        run(standing.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


class NameService:
    """Knows the hosts it is given; of several answers each is given once, the last for ever."""

    def __init__(self, hosts: Mapping[str, Sequence[str] | Sequence[Sequence[str]]]) -> None:
        self._hosts = {host: _answers(given) for host, given in hosts.items()}
        self.asked: list[str] = []

    async def addresses(self, host: str) -> Sequence[IpAddress]:
        await asyncio.sleep(0)
        self.asked.append(host)
        answers = self._hosts.get(host)
        if not answers:
            raise ToolFailed(f"No host called {host} was found.")
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ip_address(each) for each in answer]


def _answers(given: Sequence[str] | Sequence[Sequence[str]]) -> list[list[str]]:
    rounds: list[list[str]] = [list(each) for each in given if not isinstance(each, str)]
    return rounds or [[each for each in given if isinstance(each, str)]]
