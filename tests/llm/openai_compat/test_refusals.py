"""What a status other than success means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.fakes.byte_server import Reset, byte_server, status
from tests.llm.calling import ask


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


async def test_a_retry_after_that_is_a_date() -> None:
    in_five_minutes = format_datetime(datetime.now(UTC) + timedelta(seconds=300), usegmt=True)
    async with byte_server(status(429, "", f"Retry-After: {in_five_minutes}")) as server:
        heard = await ask(server.url)

    assert heard.error is not None
    assert heard.error.retry_after_s is not None
    assert 200 <= heard.error.retry_after_s <= 301


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
