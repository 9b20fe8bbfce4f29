"""The rehearsal, asked through the same client as any provider."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.events.usage import Usage
from callsheet.kit.clock import SystemClock
from callsheet.llm.chat import ChatRequest
from callsheet.llm.openai_compat.client import OpenAiChatClient
from callsheet.llm.rehearsal.model import REHEARSAL
from callsheet.llm.rehearsal.question import arithmetic_in
from callsheet.llm.rehearsal.transport import RehearsalTransport
from callsheet.llm.usage.metered import metered
from tests.llm.calling import Heard, hear

TOOLS = [
    {"type": "function", "function": {"name": name}} for name in ("calculator", "current_time")
]
INTENT = {
    "type": "object",
    "properties": {
        "route": {"type": "string", "enum": ["chat", "task"]},
        "complexity": {"enum": ["simple", "complex"]},
        "language": {"type": "string"},
        "plan_hint": {"type": ["string", "null"]},
        "needs": {"type": "array", "items": {"type": "string"}},
        "urgent": {"type": "boolean"},
        "people": {"type": "integer", "minimum": 1},
        "inner": {"type": "object", "properties": {"note": {"type": "string"}}},
        "optional": {"type": "string"},
    },
    "required": [
        "route",
        "complexity",
        "language",
        "plan_hint",
        "needs",
        "urgent",
        "people",
        "inner",
    ],
    "additionalProperties": False,
}


async def say(*messages: Mapping[str, Any], **more: Any) -> Heard:
    client = OpenAiChatClient(RehearsalTransport(), SystemClock())
    heard = await hear(client, ChatRequest(model=REHEARSAL, messages=messages, **more))
    assert heard.error is None
    return heard


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def told(text: str) -> dict[str, str]:
    return {"role": "system", "content": text}


SCHEMA_IN_WORDS = told(
    f"Sort it.\nAnswer with JSON that fits this JSON schema:\n{json.dumps(INTENT)}\nOnly JSON."
)
AS_FORMAT = {"type": "json_schema", "json_schema": {"name": "intent", "schema": INTENT}}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "17*23?",
            {"route": "task", "complexity": "simple", "language": "en", "needs": ["calculator"]},
        ),
        (
            "现在几点？",
            {"route": "task", "complexity": "simple", "language": "zh", "needs": ["current_time"]},
        ),
        ("Hello!", {"route": "chat", "complexity": "simple", "language": "en", "needs": []}),
        (
            "请比较一下这两个方案。",
            {"route": "chat", "complexity": "complex", "language": "zh", "needs": []},
        ),
    ],
)
async def test_an_intent_fits_its_schema(question: str, expected: dict[str, Any]) -> None:
    by_words = await say(SCHEMA_IN_WORDS, user(question))
    by_format = await say(told("Sort it."), user(question), response_format=AS_FORMAT)
    value = json.loads(by_words.text)

    assert by_words.text == by_format.text
    assert list(Draft202012Validator(INTENT).iter_errors(value)) == []
    assert {key: value[key] for key in expected} == expected
    assert "optional" not in value


async def test_a_json_object_without_a_schema() -> None:
    assert json.loads((await say(user("x"), response_format={"type": "json_object"})).text) == {}


async def test_arithmetic_goes_through_the_calculator() -> None:
    asked = await say(user("17*23?"), tools=TOOLS)
    ((call_id, name, arguments),) = asked.calls

    assert (name, json.loads(arguments)) == ("calculator", {"expression": "17*23"})
    assert asked.finish == ["tool_calls"]

    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    result = {"role": "tool", "tool_call_id": call_id, "content": "391"}
    answered = await say(
        user("17*23?"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        result,
        tools=TOOLS,
    )

    assert answered.text.startswith("17*23 = 391")
    assert "rehearsal" in answered.text
    assert answered.calls == []

    organized = await say(
        user(f"<message>\n17*23?\n</message>\n\n<work>\n{answered.text}\n</work>")
    )
    alone = await say(user(answered.text))

    assert organized.text == alone.text == answered.text


async def test_the_time_goes_through_the_clock() -> None:
    ((call_id, name, arguments),) = (await say(user("现在几点？"), tools=TOOLS)).calls

    assert (name, json.loads(arguments)) == ("current_time", {})

    content = json.dumps(
        {"time": "2026-01-02T03:04:05+00:00", "weekday": "Friday", "timezone": "UTC"}
    )
    answered = await say(
        user("现在几点？"), {"role": "tool", "tool_call_id": call_id, "content": content}
    )

    assert answered.text.startswith("现在是 2026-01-02T03:04:05+00:00（Friday，UTC）。")


async def test_a_tool_that_failed_is_quoted() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": "This divides by zero."}

    assert (await say(user("1/0"), result)).text.startswith("The tool says: This divides by zero.")


async def test_of_a_long_result_the_beginning_is_quoted() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": "word " * 20_000}

    assert len((await say(user("1/0"), result)).text) < 2_000


async def test_no_tool_is_called_that_is_not_offered() -> None:
    assert (await say(user("17*23?"))).calls == []
    assert (await say(user("17*23?"), tools=TOOLS[1:])).calls == []


@pytest.mark.parametrize(("question", "word"), [("Hello", "rehearsal"), ("你好", "排练")])
async def test_it_says_what_it_is_and_how_to_connect(question: str, word: str) -> None:
    heard = await say(user(question), tools=TOOLS)

    assert word in heard.text
    assert "CALLSHEET_LLM__<FACTORY>__API_KEY" in heard.text
    assert "make local-model" in heard.text
    assert heard.reads > 5


async def test_only_the_newest_question_counts() -> None:
    heard = await say(
        user("17*23?"), {"role": "assistant", "content": "391"}, user("Thanks!"), tools=TOOLS
    )

    assert heard.calls == []


async def test_the_same_request_gets_the_same_answer_streamed_or_not() -> None:
    first, again = await say(user("Hello")), await say(user("Hello"))
    whole = await say(user("Hello"), stream=False)

    assert first.text == again.text == whole.text
    assert first.usage == again.usage == whole.usage


async def test_usage_is_reported() -> None:
    for tools in ([], TOOLS):
        heard = await say(user("17*23?"), tools=tools)
        counted = metered(heard.usage, Usage())
        assert counted.source == "provider"
        assert counted.usage.input_tokens > 0
        assert counted.usage.output_tokens > 0


async def test_a_question_may_have_parts_and_odd_requests_are_answered() -> None:
    parts = [{"type": "text", "text": "17*23?"}, {"type": "image_url"}]

    assert len((await say({"role": "user", "content": parts}, tools=TOOLS)).calls) == 1
    for odd in ((), ({"role": "user", "content": None},), (told("{ no schema"),)):
        messages: Sequence[Any] = odd
        assert re.search("rehearsal", (await say(*messages)).text)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("17*23?", "17*23"),
        ("What is 17 times 23", "17*23"),
        ("17 × 23 等于多少", "17 * 23"),
        ("17乘以23", "17*23"),
        ("3 x 4", "3*4"),
        ("(1 + 2) * 3.5 please", "(1 + 2) * 3.5"),
        ("2 ** 10", "2 ** 10"),
        ("on 2026-11-30", None),
        ("call 5 people", None),
        ("((1+2", None),
        ("", None),
    ],
)
def test_arithmetic_is_found(text: str, expression: str | None) -> None:
    assert arithmetic_in(text) == expression
