"""The front answers for the application until it is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx

from callsheet.cli.front import Front
from callsheet.cli.served import Served
from callsheet.kit.errors import SetupError


class Life:
    """A front with its life under way, as a server drives it."""

    def __init__(self, load: Callable[[], Awaitable[Served]]) -> None:
        self.failures: list[Exception] = []
        self.front = Front(load, self.failures.append)
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[str] = []

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        async def send(message: Any) -> None:
            self.sent.append(message["type"])

        await self._inbox.put({"type": "lifespan.startup"})
        transport = httpx.ASGITransport(self.front)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._run(send))
            async with httpx.AsyncClient(transport=transport, base_url="http://front") as http:
                yield http
            await self._inbox.put({"type": "lifespan.shutdown"})

    async def _run(self, send: Any) -> None:
        await self.front({"type": "lifespan"}, self._inbox.get, send)


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"real {scope['path']}".encode()})


async def test_health_is_answered_first_and_everything_else_waits() -> None:
    loaded, drained, lived = asyncio.Event(), asyncio.Event(), []

    @asynccontextmanager
    async def lifetime() -> AsyncIterator[None]:
        lived.append("begun")
        yield
        lived.append("ended")

    async def load() -> Served:
        await loaded.wait()
        return Served(hello, lifetime(), None, drained.set)

    life = Life(load)
    async with life.client() as http, asyncio.TaskGroup() as group:
        assert (await http.get("/health/live")).json() == {"status": "live"}
        ready = await http.get("/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (503, "warming")
        page = group.create_task(http.get("/"))
        await asyncio.sleep(0)
        assert not page.done()
        loaded.set()
        assert (await page).text == "real /"
        assert (await http.get("/health/live")).text == "real /health/live"
        life.front.drain()
        assert drained.is_set()
        assert lived == ["begun"]
    assert lived == ["begun", "ended"]
    assert life.sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_what_cannot_be_loaded_is_told_and_nobody_waits_for_ever() -> None:
    async def load() -> Served:
        raise SetupError("mend the YAML")

    life = Life(load)
    async with life.client() as http:
        assert (await http.get("/")).status_code == 503
    assert [str(failure) for failure in life.failures] == ["mend the YAML"]


async def test_a_stop_while_loading_begins_no_life() -> None:
    loaded, lived = asyncio.Event(), []

    @asynccontextmanager
    async def lifetime() -> AsyncIterator[None]:
        lived.append("begun")
        yield

    async def load() -> Served:
        await loaded.wait()
        return Served(hello, lifetime(), None, lambda: None)

    life = Life(load)
    async with life.client() as http:
        assert (await http.get("/health/live")).status_code == 200
        life.front.drain()
        asyncio.get_running_loop().call_later(0.05, loaded.set)
    assert (life.sent[-1], lived) == ("lifespan.shutdown.complete", [])
