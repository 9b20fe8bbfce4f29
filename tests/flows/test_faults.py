"""Each fault of a provider has one defined end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve

ENDS = [
    # what the provider does, the run's error code
    ({"fault": "status", "status": 400}, "provider_refused"),
    ({"fault": "status", "status": 401}, "provider_refused"),
    ({"fault": "status", "status": 500}, "provider_error"),
    ({"fault": "status", "status": 429, "retry_after": "0"}, "provider_rate_limited"),
    ({"fault": "drop", "fault_at": 2}, "provider_cut"),
    ({"fault": "short", "fault_at": 2}, "provider_cut"),
    ({"fault": "malformed", "fault_at": 2}, "provider_malformed"),
    ({"fault": "error_chunk", "fault_at": 2}, "provider_error"),
    ({"fault": "empty"}, "provider_empty"),
    ({"fault": "filter", "fault_at": 2}, "content_filter"),
    ({"fault": "filter", "fault_at": 0}, "content_filter"),
]


@pytest.mark.parametrize(("fault", "code"), ENDS)
@pytest.mark.parametrize("stage", ["intent", "execution", "organization"])
async def test_a_fault_ends_the_turn_cleanly_and_is_booked(
    agui: AgUiClient,
    provider: FakeProvider,
    books: Books,
    stage: str,
    fault: dict[str, Any],
    code: str,
) -> None:
    script: dict[str, Any] = {stage: fault}
    provider.scenario = chat_script(**script)
    turn = await agui.ask("hello")

    assert turn.breaches == []
    assert turn.last["type"] == "RUN_ERROR"
    assert turn.last["code"] == code
    assert "fake" not in turn.last["message"]
    session = turn.headers["x-session-id"]
    assert await books.run_status(turn.headers["x-run-id"]) == "failed"
    assert await books.one("SELECT status FROM sessions WHERE id = $1::uuid", session) == "failed"
    messages = await books.messages(session)
    assert messages[0]["content"] == "hello"
    assert all('"streaming"' not in message["raw_metadata"] for message in messages)
    assert len(await books.calls()) == provider.stats.requests
    assert await books.audit() == {}

    provider.scenario = chat_script()
    again = await agui.ask("hello again", thread_id=turn.thread_id)
    assert again.breaches == []
    assert again.text == "Here is your answer."


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "status", "status": 429, "retry_after": "0"},
        {"fault": "status", "status": 503},
        {"fault": "empty"},
    ],
)
async def test_what_passes_is_tried_again_before_the_first_byte(
    agui: AgUiClient, provider: FakeProvider, books: Books, fault: dict[str, Any]
) -> None:
    provider.scenario = chat_script(execution={**fault, "fault_times": 1})
    turn = await agui.ask("hello")

    assert turn.breaches == []
    assert turn.text == "Here is your answer."
    calls = await books.calls()
    assert len(calls) == provider.stats.requests == 4
    tried = [call for call in calls if call["stage"] == "execution"]
    assert [(call["attempt"], call["status"]) for call in tried] == [(1, "failed"), (2, "settled")]
    assert tried[0]["message_id"] == tried[1]["message_id"]
    assert await books.audit() == {}


@pytest.mark.parametrize(
    "fault",
    [{"fault": "hang"}, {"fault": "stall", "fault_at": 0}, {"fault": "stall", "fault_at": 2}],
)
async def test_silence_has_an_end(
    deployment: Deployment, serve: Serve, provider: FakeProvider, fault: dict[str, Any]
) -> None:
    deployment.edit("crews/chat/agents.yaml", "iteration_timeout_s: 45", "iteration_timeout_s: 1")
    provider.scenario = chat_script(intent=fault)
    async with serve(deployment) as (agui, books):
        turn = await agui.ask("hello")
        assert len(await books.calls()) == provider.stats.requests
        assert await books.audit() == {}

    assert turn.breaches == []
    assert turn.last["type"] == "RUN_ERROR"
    assert turn.last["code"] == "iteration_timeout"
    assert provider.stats.open == 0


async def test_an_answer_without_usage_is_estimated_and_says_so(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"usage": "never"})
    turn = await agui.ask("hello")

    assert turn.breaches == []
    assert turn.text == "Here is your answer."
    calls = {call["stage"]: call for call in await books.calls()}
    assert calls["intent"]["usage_source"] == "provider"
    assert calls["organization"]["usage_source"] == "estimated"
    assert calls["organization"]["output_tokens"] > 0
    assert calls["organization"]["input_tokens"] > 0
    bill = turn.of("TEXT_MESSAGE_END")[-1]["metadata"]["callsheet"]
    assert bill["estimated"] is True
    assert await books.audit() == {}


async def test_an_answer_whose_end_mark_is_missing_is_whole(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"fault": "no_done"})
    turn = await agui.ask("hello")
    assert turn.breaches == []
    assert turn.text == "Here is your answer."
    assert await books.booked() == provider.stats.billed


async def test_a_model_that_stops_without_a_word_gives_an_empty_answer(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"fault": "blank"})
    turn = await agui.ask("hello")
    assert turn.breaches == []
    assert turn.last["type"] == "RUN_FINISHED"
    assert turn.text == ""
    assert await books.booked() == provider.stats.billed
    assert await books.audit() == {}


async def test_an_intent_that_is_wrapped_in_prose_is_understood(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    wrapped = 'Sure!\n```json\n{"route":"chat","complexity":"simple","language":"en"}\n```\nDone.'
    provider.scenario = chat_script(intent={"text": wrapped})
    turn = await agui.ask("hello")
    assert turn.breaches == []
    assert turn.steps == ["intent", "execution"]


async def test_an_intent_that_never_fits_ends_the_turn(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(intent={"text": "I would rather not."})
    turn = await agui.ask("hello")
    assert turn.breaches == []
    assert turn.last["code"] == "invalid_output"
    assert provider.stats.requests >= 2
    assert len(await books.calls()) == provider.stats.requests
