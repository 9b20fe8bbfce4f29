"""Connections that break, and waits that have an end."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import TextPart
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from tests.fakes.byte_server import HEAD, Hang, Pause, Reset, byte_server
from tests.llm.calling import a_model, a_request, ask, hear
from tests.llm.openai_compat.frames import DONE, FIRST, SECOND, SHORT, STOP


async def test_nobody_there() -> None:
    heard = await ask("http://127.0.0.1:9/v1")

    assert heard.error is not None
    assert (heard.error.error_code, heard.error.retryable) == ("provider_unreachable", True)


async def test_an_address_that_is_none() -> None:
    heard = await ask("nonsense://x")

    assert heard.error is not None
    assert heard.error.error_code == "provider_unreachable"


@pytest.mark.parametrize(
    "steps",
    [[Reset()], [HEAD, Reset()], [b"HTTP/1.1 200 OK\r\nConte", Reset()], [b"nonsense\r\n\r\n"]],
)
async def test_a_connection_that_breaks_before_an_answer(steps: list[Any]) -> None:
    async with byte_server(*steps) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert heard.error.error_code in {"provider_unreachable", "provider_empty"}
    assert heard.error.retryable


@pytest.mark.parametrize("end", [Reset(), Pause(0)])
async def test_a_connection_that_breaks_in_the_answer(end: Any) -> None:
    async with byte_server(HEAD, FIRST, Pause(0.05), end) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert (heard.error.error_code, heard.error.answered) == ("provider_cut", True)
    assert not heard.error.retryable
    assert heard.text == "Hel"


async def test_a_chunked_answer_without_its_end_is_a_cut() -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    async with byte_server(head, b"%x\r\n%b\r\n" % (len(FIRST), FIRST)) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert heard.error.error_code == "provider_cut"


@pytest.mark.parametrize(
    ("steps", "answered", "words"),
    [
        ([Hang()], False, "no answer in time"),
        ([HEAD, Hang()], False, "no answer in time"),
        ([HEAD, b": waiting\n\n", Hang()], False, "stopped coming"),
        ([HEAD, FIRST, Hang()], True, "stopped coming"),
    ],
)
async def test_waits_have_an_end(steps: list[Any], words: str, *, answered: bool) -> None:
    async with byte_server(*steps) as server:
        began = time.monotonic()
        heard = await ask(server.url, timeouts=SHORT)
        took = time.monotonic() - began

    assert heard.error is not None
    assert heard.error.error_code == "provider_timeout"
    assert words in str(heard.error)
    assert heard.error.answered is answered
    assert 0.15 < took < 2


@pytest.mark.parametrize(
    "steps", [[Hang()], [HEAD, Hang()], [HEAD, FIRST, *[Pause(0.05), SECOND] * 100]]
)
async def test_the_deadline_ends_a_call_even_while_bytes_come(steps: list[Any]) -> None:
    async with byte_server(*steps) as server:
        began = time.monotonic()
        heard = await ask(server.url, seconds=0.3)
        took = time.monotonic() - began

    assert heard.error is not None
    assert heard.error.error_code == "provider_timeout"
    assert "the time for this call was over" in str(heard.error) or "in time" in str(heard.error)
    assert took < 2


async def test_a_slow_reader_is_no_gap() -> None:
    async with byte_server(HEAD, FIRST, Pause(0.1), SECOND, STOP, DONE) as server:
        transport = AiohttpTransport()
        client = OpenAiChatClient(transport, SystemClock())
        texts = []
        async for parts in client.stream(
            a_request(a_model(server.url), timeouts=SHORT), Deadline.after(10)
        ):
            texts += [part.text for part in parts if isinstance(part, TextPart)]
            await asyncio.sleep(0.4)
        await transport.aclose()

    assert "".join(texts) == "Hello"


async def test_after_the_end_mark_nothing_is_waited_for() -> None:
    async with byte_server(HEAD, FIRST, STOP, DONE, Hang()) as server:
        began = time.monotonic()
        heard = await ask(server.url)

    assert heard.error is None
    assert time.monotonic() - began < 1


async def test_a_connection_that_is_not_taken_up() -> None:
    with socket.socket() as server, ExitStack() as waiting:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(3):  # more than its queue holds: the next one gets no answer
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        began = time.monotonic()
        heard = await ask(f"http://127.0.0.1:{server.getsockname()[1]}/v1", timeouts=SHORT)

    assert heard.error is not None
    assert (heard.error.error_code, heard.error.retryable) == ("provider_timeout", True)
    assert time.monotonic() - began < 2


async def test_no_proxy_of_the_environment_sees_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    async with byte_server(HEAD, FIRST, STOP, DONE) as server:
        heard = await ask(server.url)

    assert heard.error is None


async def test_a_whole_answer_leaves_its_connection_for_the_next_request() -> None:
    answer = FIRST + STOP + DONE
    head = HEAD.replace(b"Connection: close", b"Transfer-Encoding: chunked")
    chunked = b"%b%x\r\n%b\r\n" % (head, len(answer), answer)
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                length = int(request.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(chunked)
                await asyncio.sleep(0.01)
                writer.write(b"0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    transport = AiohttpTransport()
    client = OpenAiChatClient(transport, SystemClock())
    model = a_model(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    texts = [(await hear(client, a_request(model))).text for _ in range(5)]
    await transport.aclose()
    server.close()

    assert texts == ["Hel"] * 5
    assert connections == 1
