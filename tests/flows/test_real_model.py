"""A turn with a real model: real tokens of real text, priced and booked. No word is looked at."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from callsheet.llm.local.serve import PORT
from callsheet.workflows.draft import Known
from callsheet.workflows.loader import load_workflow
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.deployment import ROOT, Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.llm.local.serving import local_model

pytestmark = [pytest.mark.needs("local_model"), pytest.mark.timeout(600)]

CREW: Final = ROOT / "docs" / "examples" / "small"
STAGES: Final = ["intent", "execution", "organization"]
PRICE: Final = {
    "input_per_million": Decimal("0.1235"),
    "cached_per_million": Decimal("0.0247"),
    "output_per_million": Decimal("1.7654"),
}
_SIX_PLACES: Final = Decimal("0.000001")


@pytest.fixture(scope="module")
def model_url() -> Iterator[str]:
    with local_model() as address:
        yield address


@pytest.fixture
async def small(
    serve: Serve, deployment: Deployment, model_url: str
) -> AsyncIterator[tuple[AgUiClient, Books]]:
    """The product with the workflow `small` and the model at its address, which costs something."""
    shutil.copytree(CREW, deployment.crews / "small")
    deployment.edit("config/models.yaml", f"http://127.0.0.1:{PORT}/v1", model_url)
    prices = deployment.config / "llm_prices.yaml"
    before, entry = prices.read_text("utf-8").split("model_code: smollm2", 1)
    for key, value in PRICE.items():
        assert f"{key}: 0\n" in entry
        entry = entry.replace(f"{key}: 0\n", f"{key}: {value}\n")
    prices.write_text(f"{before}model_code: smollm2{entry}", "utf-8")
    async with serve(deployment) as served:
        yield served


async def test_a_real_model_goes_through_three_crews_and_is_paid_for(
    small: tuple[AgUiClient, Books], provider: FakeProvider
) -> None:
    agui, books = small
    turn = await agui.ask("What is the capital of France?", path="/v1/agent-chat/small")

    assert turn.breaches == []
    assert turn.last["type"] == "RUN_FINISHED"
    assert turn.steps == STAGES
    assert len(turn.of("SUBAGENT_FINISHED")) == 3
    assert turn.text.strip()
    assert await books.run_status(turn.headers["x-run-id"]) == "succeeded"
    assert provider.stats.requests == 0

    messages = await books.messages(turn.headers["x-session-id"])
    check_messages(messages, turn)
    calls = await books.calls()
    check_calls(calls)
    check_totals(messages, calls)
    await check_session(agui, books, turn)


def check_messages(messages: list[dict[str, Any]], turn: Turn) -> None:
    """The user's, then one of each crew: the intent fits its schema, the last is what was shown."""
    assert [message["role"] for message in messages] == ["user", *["assistant"] * 3]
    assert [message["seq"] for message in messages] == [1, 2, 3, 4]
    metadata = [json.loads(message["raw_metadata"]) for message in messages[1:]]
    assert [each["stage"] for each in metadata] == STAGES
    assert [each["visible"] for each in metadata] == [False, False, True]
    assert [each["status"] for each in metadata] == ["final"] * 3
    assert {message["model_code"] for message in messages[1:]} == {"smollm2"}
    schema = load_workflow(CREW, Known()).stages[0].tasks[0].output_schema
    assert schema is not None
    assert list(Draft202012Validator(schema).iter_errors(json.loads(messages[1]["content"]))) == []
    assert messages[3]["content"] == turn.text


def check_calls(calls: list[dict[str, Any]]) -> None:
    """One call each, counted by the endpoint itself, for exactly its tokens times their price."""
    assert [call["stage"] for call in calls] == STAGES
    for call in calls:
        assert (call["factory"], call["model_code"]) == ("local", "smollm2")
        assert (call["status"], call["usage_source"]) == ("settled", "provider")
        assert call["attempt"] == 1
        assert call["input_tokens"] > 20
        assert 0 <= call["cached_tokens"] < call["input_tokens"]
        assert 1 <= call["output_tokens"] <= 100
        assert call["raw_usage"] is not None
        assert call["cost_exact"] == price_of(call) > 0
        assert call["started_at"] < call["first_token_at"] <= call["settled_at"]


def price_of(call: dict[str, Any]) -> Decimal:
    cached: int = call["cached_tokens"]
    fresh: int = call["input_tokens"] - cached
    written: int = call["output_tokens"]
    return (
        fresh * PRICE["input_per_million"]
        + cached * PRICE["cached_per_million"]
        + written * PRICE["output_per_million"]
    ) / 1_000_000


def check_totals(messages: list[dict[str, Any]], calls: list[dict[str, Any]]) -> None:
    """Each message has the tokens and the rounded cost of its call."""
    by_message = {call["message_id"]: call for call in calls}
    assert set(by_message) == {message["id"] for message in messages[1:]}
    for message in messages[1:]:
        call = by_message[message["id"]]
        assert message["input_tokens"] == call["input_tokens"]
        assert message["output_tokens"] == call["output_tokens"]
        assert message["cost"] == call["cost_exact"].quantize(_SIX_PLACES, ROUND_HALF_UP)
        assert message["latency_ms"] > 0


async def check_session(agui: AgUiClient, books: Books, turn: Turn) -> None:
    """The session's totals are those of its messages, here, over HTTP and in the stream."""
    session = turn.headers["x-session-id"]
    messages = await books.messages(session)
    tokens = sum(message["input_tokens"] + message["output_tokens"] for message in messages)
    cost = sum(message["cost"] for message in messages)
    assert await books.rows(
        "SELECT status::text, total_tokens, total_cost, message_count FROM sessions "
        "WHERE id = $1::uuid",
        session,
    ) == [{"status": "completed", "total_tokens": tokens, "total_cost": cost, "message_count": 4}]
    told = (await agui.http.get(f"/v1/sessions/{session}")).json()
    assert (told["totalTokens"], Decimal(told["totalCost"])) == (tokens, cost)
    assert Decimal(turn.last["metadata"]["callsheet"]["cost"]) == cost
    assert sum(part["inputTokens"] + part["outputTokens"] for part in turn.last["usage"]) == tokens
    assert await books.audit() == {}
