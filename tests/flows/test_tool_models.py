"""A tool that asks a model itself: the call is in the ledger, on the tool's own message."""

from __future__ import annotations

import json
from decimal import Decimal

from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.digesting import (
    DIGEST,
    ask_then_wait,
    digest_twice,
    digesting,
    inner_calls,
    script,
    tool_messages,
)
from tests.flows.waiting import MAIL, answer, interrupts, resolved, told


async def test_its_cost_stands_on_the_tools_own_message_and_its_words_go_nowhere_else(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment):
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST)
            turn = await agui.ask("Read it.")
            assert turn.breaches == []
            assert turn.text == "The work is done."
            assert told(provider) == ["In short: SECRET digest"]
            shown = [e for e in turn.events if "SECRET" in json.dumps(e)]
            assert [e["type"] for e in shown] == ["TOOL_CALL_RESULT"]

            [call] = await inner_calls(books)
            [message] = await tool_messages(books, turn)
            assert (call["tool"], call["purpose"], call["status"]) == (
                "own_digest", "tool", "settled",
            )  # fmt: skip
            assert call["message_id"] == message["id"]
            assert (call["stage"], call["agent"]) == ("execution", "worker")
            assert (message["input_tokens"], message["output_tokens"]) == (
                call["input_tokens"], call["output_tokens"],
            )  # fmt: skip
            assert message["input_tokens"] > 0
            assert message["cost"] == round(call["cost_exact"], 6) > 0
            assert message["content"] == "In short: SECRET digest"
            assert message["own"]["status"] == "final"
            assert message["own"]["tool"]["status"] == "ok"
            assert len(message["own"]["tool"]["args_digest"]) == 64

            [result] = shown
            own = result["metadata"]["callsheet"]
            assert own["messageId"] == result["messageId"] == str(message["id"])
            assert Decimal(own["cost"]) == message["cost"]
            assert own["seq"] == message["seq"]
            assert own["status"] == "ok"
            assert own["latencyMs"] == message["latency_ms"]
            report = (await agui.http.get("/v1/usage/report", params={"by": "tool"})).json()
            by_tool = {row.get("tool"): row["cost"] for row in report["items"]}
            assert by_tool.keys() == {None, "own_digest"}
            assert Decimal(by_tool["own_digest"]) == call["cost_exact"]
            used = sum(each["totalTokens"] for each in turn.last["usage"])
            assert used == await books.one("SELECT total_tokens FROM sessions")
            assert await books.audit() == {}


async def test_what_tools_cost_is_hidden_like_all_costs(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment):
        async with serve(deployment, show={"costs": False, "models": False}) as (agui, _):
            provider.scenario = script(DIGEST)
            [result] = (await agui.ask("Read it.")).of("TOOL_CALL_RESULT")
            own = result["metadata"]["callsheet"]
            assert own["inputTokens"] > 0
            assert not {"cost", "currency", "model"} & own.keys()


async def test_two_questions_at_once_to_two_models_are_on_one_message(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment, digest_twice):
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST, inside={"gap_s": 0.05, "chunks": 4})
            turn = await agui.ask("Read it.")
            assert told(provider) == ['["SECRET digest","SECRET digest"]']
            calls = await inner_calls(books)
            assert len({call["model_code"] for call in calls}) == 2
            assert [call["attempt"] for call in calls] == [1, 2]
            [message] = await tool_messages(books, turn)
            assert {call["message_id"] for call in calls} == {message["id"]}
            assert message["input_tokens"] == sum(call["input_tokens"] for call in calls)
            assert await books.audit() == {}


async def test_what_a_tool_was_told_is_not_asked_again_when_its_run_goes_on(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment) as tool:
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST, ("send_mail", MAIL))
            turn = await agui.ask("Read it.")
            [mail] = interrupts(turn)
            before = provider.stats.requests
        async with serve(deployment) as (agui, books):
            after = await answer(agui, turn, resolved(mail, {"approved": True}))
            assert after.text == "The work is done."
            assert provider.stats.requests == before + 1
            assert tool.calls == 1
            assert len(await inner_calls(books)) == 1
            assert await books.audit() == {}


async def test_a_tool_that_asks_a_model_and_then_a_person_has_both_on_its_messages(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment, ask_then_wait):
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST)
            turn = await agui.ask("Read it.")
            assert turn.breaches == []
            [asked] = interrupts(turn)
            assert asked["message"] == "SECRET digest"
            after = await answer(agui, turn, resolved(asked, {"yes": True}))
            assert after.text == "The work is done."
            assert told(provider) == ['{"yes":true}']
            first, second = await tool_messages(books, turn)
            assert first["own"]["status"] == "discarded"
            assert first["cost"] > 0
            assert (second["own"]["status"], second["cost"]) == ("final", 0)
            assert await books.audit() == {}
