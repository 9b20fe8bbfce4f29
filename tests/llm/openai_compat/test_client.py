"""The client against a real socket: what is sent and what is heard."""

from __future__ import annotations

import json
from typing import Any

from callsheet.llm.chat import ToolCallPart
from tests.fakes.byte_server import HEAD, Pause, byte_server, event, status
from tests.llm.calling import a_model, ask
from tests.llm.openai_compat.frames import DONE, FIRST, SECOND, STOP

ARGUMENTS = '{"expression":"17*23"}'


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
