"""The client against a real socket: every way an answer can fail, and how it lets go."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import TextPart, Timeouts, ToolCallPart
from callsheet.llm.openai_compat.aiohttp import AiohttpTransport
from callsheet.llm.openai_compat.client import OpenAiChatClient
from tests.fakes.byte_server import HEAD, Hang, Pause, Reset, byte_server, event, status
from tests.llm.calling import a_model, a_request, ask

FIRST = event(
    '{"id":"a1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}'
)
SECOND = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"lo"}}]}')
STOP = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}')
DONE = event("[DONE]")
ARGUMENTS = '{"expression":"17*23"}'
IN_FIVE_MINUTES = format_datetime(datetime.now(UTC) + timedelta(seconds=300), usegmt=True)
SHORT = Timeouts(connect_s=0.2, first_byte_s=0.2, gap_s=0.2)


def sent_body(request: bytes) -> Any:
    return json.loads(request.partition(b"\r\n\r\n")[2])


async def test_an_answer_streams_part_by_part() -> None:
    async with byte_server(HEAD, FIRST, Pause(0.05), SECOND, Pause(0.05), STOP, DONE) as server:
        heard = await ask(server.url)

    assert (heard.error, heard.text, heard.finish) == (None, "Hello", ["stop"])
    assert heard.reads >= 3


async def test_chinese_and_emoji_survive_byte_by_byte() -> None:
    text = "你好世界🌍👩‍👩‍👧"
    data = (
        event(
            f'{{"choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":"stop"}}]}}'
        )
        + DONE
    )
    async with byte_server(HEAD, *[data[i : i + 1] for i in range(len(data))]) as server:
        heard = await ask(server.url)

    assert (heard.error, heard.text) == (None, text)


async def test_what_is_sent() -> None:
    model = a_model("", extra_body={"top_k": 3}, max_output_tokens=100)
    async with byte_server(HEAD, FIRST, STOP, DONE) as server:
        await ask(
            server.url,
            model=a_model(server.url + "/", extra_body=model.extra_body),
            temperature=0.5,
        )

    head = server.requests[0].partition(b"\r\n\r\n")[0].decode().lower().split("\r\n")
    assert head[0] == "post /v1/chat/completions http/1.1"
    assert "authorization: bearer sk-secret-0815" in head
    assert "accept-encoding: identity" in head
    assert not any(line.startswith("cookie") for line in head)
    assert sent_body(server.requests[0]) == {
        "model": "qwen-up",
        "messages": [{"role": "user", "content": "Hello?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "max_tokens": 4096,
        "top_k": 3,
    }


async def test_no_key_no_header() -> None:
    async with byte_server(HEAD, FIRST, STOP, DONE) as server:
        await ask(server.url, model=a_model(server.url, api_key=None))

    assert b"authorization" not in server.requests[0].lower()


async def test_one_piece_instead_of_a_stream() -> None:
    body = (
        '{"id":"a1","choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],'
        '"usage":{"prompt_tokens":1,"completion_tokens":2}}'
    )
    async with byte_server(status(200, body)) as server:
        streamed = await ask(server.url)
        whole = await ask(server.url, stream=False)

    assert streamed.parts == whole.parts
    assert (whole.error, whole.text, whole.usage) == (
        None,
        "Hello",
        {"prompt_tokens": 1, "completion_tokens": 2},
    )
    assert "stream_options" not in sent_body(server.requests[1])


async def test_a_tool_call_is_the_same_streamed_or_not() -> None:
    call = json.dumps({"id": "c1", "function": {"name": "calculator", "arguments": ARGUMENTS}})
    end = '"finish_reason":"tool_calls"}]}'
    whole_body = f'{{"id":"a1","choices":[{{"message":{{"tool_calls":[{call}]}},{end}'
    delta = event(f'{{"id":"a1","choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}},{end}')
    async with byte_server(status(200, whole_body)) as server:
        whole = await ask(server.url, stream=False)
    async with byte_server(HEAD, delta, DONE) as server:
        streamed = await ask(server.url)

    assert whole.parts == streamed.parts
    assert ToolCallPart(0, "c1", "calculator", ARGUMENTS) in whole.parts


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("code", "body", "error", "retryable"),
    [
        (429, "", "provider_rate_limited", True),
        (429, '{"error":{"code":"insufficient_quota"}}', "provider_refused", False),
        (500, "oops", "provider_error", True),
        (502, "<html>", "provider_error", True),
        (503, "{}", "provider_error", True),
        (408, "", "provider_timeout", True),
        (400, '{"error":{"message":"bad"}}', "provider_refused", False),
        (400, '{"error":{"code":"data_inspection_failed"}}', "content_filter", False),
        (400, '{"code":"DataInspectionFailed","message":"x"}', "content_filter", False),
        (400, '{"error":{"code":"context_length_exceeded"}}', "provider_refused", False),
        (401, '{"error":{"message":"sk-secret-0815 is wrong"}}', "provider_refused", False),
        (402, "", "provider_refused", False),
        (403, "", "provider_refused", False),
        (404, "", "provider_refused", False),
        (413, "", "provider_refused", False),
        (302, "", "provider_refused", False),
    ],
)
async def test_a_refusal(code: int, body: str, error: str, *, retryable: bool) -> None:
    async with byte_server(status(code, body, "Location: http://127.0.0.1:1/")) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert (heard.error.error_code, heard.error.http_status) == (error, code)
    assert (heard.error.answered, heard.error.retryable) == (False, retryable)
    assert server.connections == 1


async def test_a_refused_key_names_its_variable_and_no_secret() -> None:
    async with byte_server(status(401, '{"error":{"message":"sk-secret-0815 Hello?"}}')) as server:
        heard = await ask(server.url)

    message = str(heard.error)
    assert "CALLSHEET_LLM__QWEN__API_KEY" in message
    assert "sk-secret" not in message
    assert "Hello?" not in message


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("Retry-After: 7", 7, 7),
        ("Retry-After: 0.5", 0.5, 0.5),
        ("Retry-After: -3", 0, 0),
        (
            f"Retry-After: {IN_FIVE_MINUTES}",
            200,
            301,
        ),
        ("Retry-After: Mon, 01 Jan 2001 00:00:00 GMT", 0, 0),
        ("Retry-After: Mon, 01 Jan 2001 00:00:00", 0, 0),
    ],
)
async def test_retry_after(header: str, least: float, most: float) -> None:
    async with byte_server(status(429, "", header)) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert heard.error.retry_after_s is not None
    assert least <= heard.error.retry_after_s <= most


@pytest.mark.parametrize("header", ["Retry-After: soon", "Retry-After: inf", "X-Other: 1"])
async def test_a_retry_after_that_says_nothing(header: str) -> None:
    async with byte_server(status(429, "", header)) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert heard.error.retry_after_s is None


async def test_a_refusal_whose_body_breaks_off_is_still_a_refusal() -> None:
    head = b"HTTP/1.1 500 X\r\nContent-Length: 100\r\n\r\n{"
    async with byte_server(head, Reset()) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert heard.error.error_code == "provider_error"


# ------------------------------------------------------------------ broken connections


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


# ------------------------------------------------------------------ letting go


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
