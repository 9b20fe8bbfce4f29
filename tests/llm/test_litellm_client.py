"""LiteLLM behind the same port, against a local server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest

from callsheet.kit.clock import SystemClock
from callsheet.llm import litellm_client
from callsheet.llm.chat import Timeouts
from callsheet.llm.litellm_client import LiteLlmClient
from callsheet.llm.litellm_library import load_litellm
from callsheet.llm.model import Model
from tests.fakes.byte_server import HEAD, Hang, Pause, Reset, byte_server, event, status
from tests.llm.calling import Heard, a_model, a_request, hear

# LiteLLM imports more of itself with the first call, and its imports warn about each other.
pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

REASON = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}')
FIRST = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"Hel"}}]}')
SECOND = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"lo"}}]}')
STOP = event('{"id":"a1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}')
USAGE = event(
    '{"id":"a1","model":"m","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,'
    '"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60}}}'
)
CALL = event(
    '{"id":"a1","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1",'
    '"type":"function","function":{"name":"f","arguments":"{}"}}]}}]}'
)
CALLED = STOP.replace(b'"stop"', b'"tool_calls"')
DONE = event("[DONE]")
SHORT = Timeouts(connect_s=0.5, first_byte_s=0.5, gap_s=0.5)


def by_litellm(url: str) -> Model:
    return a_model(url, litellm_provider="openai", upstream_model="gpt-4o-mini")


async def ask(url: str, seconds: float = 20.0, **more: Any) -> Heard:
    await asyncio.to_thread(load_litellm)  # so that no wait below counts its import
    return await hear(LiteLlmClient(SystemClock()), a_request(by_litellm(url), **more), seconds)


@pytest.mark.needs("litellm")
async def test_an_answer_streams_with_its_usage() -> None:
    async with byte_server(HEAD, REASON, FIRST, Pause(0.05), SECOND, STOP, USAGE, DONE) as server:
        heard = await ask(server.url)

    assert (heard.error, heard.text, heard.reasoning, heard.finish) == (
        None,
        "Hello",
        "hm",
        ["stop"],
    )
    assert heard.usage is not None
    assert (heard.usage["prompt_tokens"], heard.usage["completion_tokens"]) == (100, 20)
    assert heard.usage["prompt_tokens_details"]["cached_tokens"] == 60
    assert b'"include_usage":true' in server.requests[0].replace(b" ", b"")


@pytest.mark.needs("litellm")
async def test_tool_calls() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    async with byte_server(HEAD, CALL, CALLED, USAGE, DONE) as server:
        heard = await ask(server.url, tools=tools)

    assert (heard.error, heard.calls, heard.finish) == (None, [("c1", "f", "{}")], ["tool_calls"])


@pytest.mark.needs("litellm")
async def test_an_answer_in_one_piece() -> None:
    body = (
        '{"id":"a1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,'
        '"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],'
        '"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}'
    )
    async with byte_server(status(200, body)) as server:
        heard = await ask(server.url, stream=False)

    assert (heard.error, heard.text, heard.finish) == (None, "Hello", ["stop"])
    assert heard.usage is not None
    assert heard.usage["completion_tokens"] == 2


@pytest.mark.needs("litellm")
@pytest.mark.parametrize(
    ("code", "error", "retryable"),
    [
        (429, "provider_rate_limited", True),
        (500, "provider_error", True),
        (503, "provider_error", True),
        (401, "provider_refused", False),
        (404, "provider_refused", False),
        (400, "provider_refused", False),
    ],
)
async def test_a_refusal_is_asked_once(code: int, error: str, *, retryable: bool) -> None:
    body = '{"error":{"message":"sk-secret-0815 Hello?"}}'
    async with byte_server(status(code, body, "Retry-After: 3")) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert (heard.error.error_code, heard.error.retryable) == (error, retryable)
    assert "sk-secret" not in str(heard.error)
    assert server.connections == 1
    if code == 429:
        assert heard.error.retry_after_s == 3


@pytest.mark.needs("litellm")
async def test_broken_connections() -> None:
    nobody = await ask("http://127.0.0.1:9/v1")
    async with byte_server(HEAD, FIRST, Pause(0.1), Reset()) as server:
        cut = await ask(server.url)

    assert nobody.error is not None
    assert (nobody.error.error_code, nobody.error.answered) == ("provider_unreachable", False)
    assert cut.error is not None
    assert (cut.error.error_code, cut.error.answered, cut.text) == ("provider_cut", True, "Hel")


@pytest.mark.needs("litellm")
@pytest.mark.parametrize("steps", [[Hang()], [HEAD, Hang()], [HEAD, FIRST, Hang()]])
async def test_waits_have_an_end_and_close_the_socket(steps: list[Any]) -> None:
    async with byte_server(*steps) as server:
        heard = await ask(server.url, timeouts=SHORT)
        await asyncio.wait_for(server.left.wait(), 2)

    assert heard.error is not None
    assert heard.error.error_code == "provider_timeout"


@pytest.mark.needs("litellm")
async def test_cancelling_closes_the_socket() -> None:
    async with byte_server(HEAD, FIRST, Hang()) as server:
        task = asyncio.create_task(ask(server.url))
        await server.hanging.wait()
        await asyncio.sleep(0.1)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 5)

    assert time.monotonic() - began < 0.5


async def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm_client, "is_installed", lambda: False)

    heard = await hear(LiteLlmClient(SystemClock()), a_request(by_litellm("http://127.0.0.1:9/v1")))

    assert heard.error is not None
    assert "pip install 'callsheet[litellm]'" in str(heard.error)
    assert not heard.error.retryable


def test_nothing_imports_litellm_before_it_is_asked_for() -> None:
    code = (
        "import sys; import callsheet.llm.litellm_client, callsheet.llm.router; "
        "sys.exit('litellm' in sys.modules)"
    )

    assert (
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "backend"}).returncode == 0
    )
