"""A stop closes the socket at once, and nothing secret is left behind."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from tests.fakes.byte_server import HEAD, Hang, byte_server, status
from tests.llm.calling import a_model, a_request, ask
from tests.llm.openai_compat.frames import DONE, FIRST, STOP


@pytest.mark.parametrize("steps", [[Hang()], [HEAD, Hang()], [HEAD, FIRST, Hang()]])
async def test_cancelling_closes_the_socket_at_once(steps: list[Any]) -> None:
    async with byte_server(*steps) as server:
        transport = AiohttpTransport()
        client = OpenAiChatClient(transport, SystemClock())

        async def listen() -> None:
            async for _ in client.stream(a_request(a_model(server.url)), Deadline.after(30)):
                pass

        task = asyncio.create_task(listen())
        await server.hanging.wait()
        await asyncio.sleep(0.05)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 5)
        took = time.monotonic() - began
        await transport.aclose()

    assert took < 0.1


async def test_closing_the_generator_closes_the_socket_at_once() -> None:
    async with byte_server(HEAD, FIRST, Hang()) as server:
        transport = AiohttpTransport()
        stream = OpenAiChatClient(transport, SystemClock()).stream(
            a_request(a_model(server.url)), Deadline.after(30)
        )
        await anext(stream)
        await server.hanging.wait()
        began = time.monotonic()
        await stream.aclose()
        await asyncio.wait_for(server.left.wait(), 5)
        took = time.monotonic() - began
        await transport.aclose()

    assert took < 0.1


async def test_a_deadline_in_the_middle_closes_the_socket() -> None:
    async with byte_server(HEAD, FIRST, Hang()) as server:
        await ask(server.url, seconds=0.2)
        await asyncio.wait_for(server.left.wait(), 1)


async def test_a_transport_goes_on_after_it_was_closed() -> None:
    async with byte_server(HEAD, FIRST, STOP, DONE) as server:
        transport = AiohttpTransport()
        client = OpenAiChatClient(transport, SystemClock())
        for _ in range(2):
            async for _ in client.stream(a_request(a_model(server.url)), Deadline.after(30)):
                pass
            await transport.aclose()

    assert server.connections == 2


async def test_nothing_secret_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with byte_server(HEAD, FIRST, STOP, DONE) as server:
        await ask(server.url)
    async with byte_server(status(500, "body-of-the-provider")) as server:
        await ask(server.url)

    for word in ("sk-secret", "Hello?", "body-of-the-provider"):
        assert word not in caplog.text
