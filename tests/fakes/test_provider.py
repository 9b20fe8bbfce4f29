"""The fake provider is a part of many proofs, so it has a few of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.fakes.provider.scenario import Rule, ToolAsk
from tests.fakes.provider.server import FakeProvider


@pytest.fixture
def fake() -> Iterator[FakeProvider]:
    with FakeProvider() as running:
        yield running


async def ask(fake: FakeProvider, text: str = "hi", **more: Any) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], "stream": True, **more}
    async with httpx.AsyncClient(timeout=5) as client:
        return await client.post(f"{fake.base_url}/chat/completions", json=body)


def frames(response: httpx.Response) -> list[Any]:
    lines = [line[6:] for line in response.text.split("\n") if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def said(response: httpx.Response) -> str:
    chunks = [frame["choices"] for frame in frames(response) if frame != "[DONE]"]
    return "".join(choice[0]["delta"].get("content", "") for choice in chunks if choice)


async def test_words_are_counted_and_usage_comes_when_asked(fake: FakeProvider) -> None:
    fake.play(chunks=3)
    response = await ask(fake, stream_options={"include_usage": True})
    assert said(response) == "w00000 w00001 w00002 "
    assert frames(response)[-1] == "[DONE]"
    assert frames(response)[-2]["usage"]["completion_tokens"] == 3
    assert fake.stats.billed.prompt == fake.stats.reported.prompt == 11
    assert (fake.stats.requests, fake.stats.finished, fake.stats.open) == (1, 1, 0)


async def test_the_first_rule_that_is_found_decides(fake: FakeProvider) -> None:
    fake.play(
        text="else",
        rules=(
            Rule(match="tea", set={"text": "one"}),
            Rule(match="t", set={"text": "two"}),
        ),
    )
    assert [said(await ask(fake, text)) for text in ("a tea", "a t", "a")] == ["one", "two", "else"]


async def test_tools_are_asked_for_once_after_each_user_message(fake: FakeProvider) -> None:
    fake.play(
        tools=(ToolAsk(arguments='{"expression": "1+1"}'), ToolAsk(name="other")), tool_pieces=3
    )
    tools = [{"type": "function", "function": {"name": "calculator"}}]
    pieces = [
        frame["choices"][0]["delta"]["tool_calls"][0]
        for frame in frames(await ask(fake, tools=tools))
        if frame != "[DONE]" and "tool_calls" in frame["choices"][0]["delta"]
    ]
    first = [piece for piece in pieces if piece["index"] == 0]
    assert first[0]["function"]["name"] == "calculator"
    assert "".join(p["function"]["arguments"] for p in first) == '{"expression": "1+1"}'
    assert next(p["function"].get("name") for p in pieces if p["index"] == 1) == "other"
    history = [{"role": "user", "content": "x"}, {"role": "tool", "content": "2"}]
    assert said(await ask(fake, tools=tools, messages=history)) == "w00000 "


async def test_a_fault_strikes_as_often_as_told(fake: FakeProvider) -> None:
    fake.play(fault="status", status=429, retry_after="1", fault_times=1)
    first, second = await ask(fake), await ask(fake)
    assert (first.status_code, first.headers["retry-after"]) == (429, "1")
    assert (second.status_code, fake.stats.faults, fake.stats.billed.prompt) == (200, 1, 11)


async def test_a_cut_stream_bills_what_was_sent(fake: FakeProvider) -> None:
    fake.play(chunks=5, fault="drop", fault_at=2)
    with pytest.raises(httpx.RemoteProtocolError):
        await ask(fake)
    assert (fake.stats.billed.completion, fake.stats.reported.completion) == (2, 0)


async def test_a_client_that_leaves_is_seen(fake: FakeProvider) -> None:
    fake.play(chunks=5, fault="stall", fault_at=1)
    body = {"model": "m", "messages": [], "stream": True}
    async with httpx.AsyncClient(timeout=5) as client:
        url = f"{fake.base_url}/chat/completions"
        async with client.stream("POST", url, json=body) as response:
            async for _ in response.aiter_bytes():
                break
    stats = await fake.until(lambda seen: bool(seen.disconnected))
    assert (stats.disconnected[0].number, stats.disconnected[0].pieces_sent, stats.open) == (
        1,
        1,
        0,
    )
