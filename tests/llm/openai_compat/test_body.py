"""What is merged into a request."""

from __future__ import annotations

import pytest

from callsheet.llm.chat import ChatRequest
from callsheet.llm.openai_compat.body import body_of
from tests.llm.calling import a_model, a_request

SWITCH = {
    "off": {"chat_template_kwargs": {"thinking": False}},
    "high": {"chat_template_kwargs": {"thinking": True}, "temperature": None},
}


def test_all_fields() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    request = a_request(
        a_model(extra_body={"top_k": 1}),
        tools=tools,
        temperature=0.0,
        max_output_tokens=7,
        response_format={"type": "json_object"},
    )

    assert body_of(request) == {
        "model": "qwen-up",
        "messages": [{"role": "user", "content": "Hello?"}],
        "max_tokens": 7,
        "temperature": 0.0,
        "tools": tools,
        "response_format": {"type": "json_object"},
        "top_k": 1,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(("asked", "sent"), [(None, 4096), (10, 10), (9999, 4096)])
def test_no_more_output_than_the_model_may_give(asked: int | None, sent: int) -> None:
    assert body_of(a_request(a_model(), max_output_tokens=asked))["max_tokens"] == sent


def test_the_reasoning_switch_is_merged_deep_and_wins() -> None:
    model = a_model(
        reasoning_switch=SWITCH,
        extra_body={"chat_template_kwargs": {"lang": "zh", "thinking": True}},
    )
    off = body_of(a_request(model, reasoning="off", temperature=0.3))
    high = body_of(a_request(model, reasoning="high", temperature=0.3))

    assert off["chat_template_kwargs"] == {"lang": "zh", "thinking": False}
    assert off["temperature"] == 0.3
    assert high["chat_template_kwargs"] == {"lang": "zh", "thinking": True}
    assert "temperature" not in high
    assert body_of(a_request(model, reasoning="low"))["chat_template_kwargs"]["thinking"] is True


def test_a_model_may_rename_a_field_but_not_lose_usage() -> None:
    model = a_model(
        extra_body={
            "max_tokens": None,
            "max_completion_tokens": 9,
            "stream": False,
            "stream_options": {"include_usage": False, "other": 1},
            "model": "another",
        }
    )
    body = body_of(a_request(model))

    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 9
    assert (body["model"], body["stream"]) == ("qwen-up", True)
    assert body["stream_options"] == {"include_usage": True, "other": 1}


@pytest.mark.parametrize("extra", [{}, {"top_k": 1}])
def test_usage_is_always_asked_for(extra: dict[str, int]) -> None:
    assert body_of(a_request(a_model(extra_body=extra)))["stream_options"] == {
        "include_usage": True
    }
    assert "stream_options" not in body_of(a_request(a_model(extra_body=extra), stream=False))


def test_an_endpoint_that_refuses_the_wish_for_usage_is_not_told_it() -> None:
    body = body_of(a_request(a_model(asks_for_usage=False)))

    assert body["stream"] is True
    assert "stream_options" not in body


def test_the_models_own_facts_are_not_changed() -> None:
    model = a_model(extra_body={"a": {"b": 1}}, reasoning_switch={"low": {"a": {"c": 2}}})

    body_of(ChatRequest(model=model, messages=[], reasoning="low"))

    assert model.extra_body == {"a": {"b": 1}}
