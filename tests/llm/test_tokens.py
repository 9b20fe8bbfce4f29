"""Estimates stay near what real vocabularies count.

The counts were made with the vocabularies of cl100k, Qwen and DeepSeek; see `tokens.py`.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.llm.tokens import (
    _MOST_KNOWN,
    PER_IMAGE_TOKENS,
    PER_MESSAGE_TOKENS,
    _known,
    estimate_messages,
    estimate_tokens,
)

ENGLISH = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software "
    "and associated documentation files, to deal in the Software without restriction."
)
CHINESE = (
    "今天天气很好，我们一起去公园散步吧。请帮我写一封邮件给客户，说明项目延期的原因，并表示歉意。"
    "人工智能正在改变世界，许多企业开始使用大型语言模型来提高工作效率。"
)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        (ENGLISH, 27, 38),
        (CHINESE, 42, 83),
        ('{"prompt_tokens": 2006, "completion_tokens": 300, "total_tokens": 2306}', 22, 36),
        ("오늘 날씨가 정말 좋네요. 공원에 산책하러 갑시다.", 20, 40),
        ("Сегодня очень хорошая погода, пойдём гулять в парк.", 14, 36),
        ("🌍👩‍👩‍👧😀🎉", 8, 24),
        ("x", 1, 1),
        (" ", 1, 1),
        ("\n\n\n", 1, 2),
        ("", 0, 0),
    ],
)
def test_an_estimate_is_near(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


@given(st.text(min_size=1))
def test_no_text_is_free(text: str) -> None:
    assert estimate_tokens(text) >= 1


def test_a_long_prompt_is_estimated_quickly() -> None:
    began = time.process_time()
    estimate_tokens((ENGLISH + CHINESE) * 500)

    assert time.process_time() - began < 0.5


def test_a_request() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    text_only = estimate_messages([{"role": "user", "content": ENGLISH}])
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}

    assert text_only == PER_MESSAGE_TOKENS + estimate_tokens(ENGLISH)
    assert (
        estimate_messages(
            [{"role": "user", "content": [{"type": "text", "text": ENGLISH}, picture]}]
        )
        == text_only + PER_IMAGE_TOKENS
    )
    assert (
        estimate_messages([{"role": "assistant", "content": None, "tool_calls": [call]}])
        > PER_MESSAGE_TOKENS
    )
    assert (
        estimate_messages([{"role": "assistant", "content": "", "reasoning_content": ENGLISH}])
        == text_only
    )
    assert estimate_messages([], [{"type": "function", "function": {"name": "f"}}]) > 5
    assert estimate_messages([]) == 0


def test_a_long_text_is_counted_once_however_often_it_is_sent() -> None:
    text = ENGLISH * 2_000
    first = estimate_tokens(text)
    began = time.perf_counter()
    assert {estimate_tokens(text) for _ in range(200)} == {first}
    assert time.perf_counter() - began < 1  # counting it 200 times takes 20 s
    assert estimate_tokens(text + "!!") != estimate_tokens(text + " of others")


def test_what_is_known_of_texts_stays_bounded() -> None:
    texts = [f"{number:06}" * 50 for number in range(20_000)]
    first = [estimate_tokens(text) for text in texts]
    assert [estimate_tokens(text) for text in texts] == first
    assert len(_known) <= _MOST_KNOWN
