"""Prices through HTTP, to the last digit of the ledger, while they change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import structlog

from callsheet.kit.errors import SetupError
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve

PRICES = "config/llm_prices.yaml"
CHEAP = "input_per_million: 0.10\n    cached_per_million: 0.02\n    output_per_million: 0.40"
FLASH = f"""model_code: qwen3.5-flash
    currency: USD
    valid_from: 2026-01-01T00:00:00Z
    {CHEAP}"""
IN_CNY = FLASH.replace("USD", "CNY")
RATE = """
rates:
  - {base: CNY, quote: USD, rate: 0.1389, valid_from: 2026-01-01T00:00:00Z, source: a bank}
"""
TIERED = FLASH.replace(
    CHEAP,
    """tiers:
      - up_to_input_tokens: 32000
        input_per_million: 1
        cached_per_million: 0.2
        output_per_million: 5
      - input_per_million: 2
        cached_per_million: 0.4
        output_per_million: 10""",
)
NEW = {
    "factory": "qwen",
    "modelCode": "qwen3.5-flash",
    "currency": "USD",
    "source": "list of today",
    "inputPerMillion": "5",
    "cachedPerMillion": "1",
    "outputPerMillion": "7",
}
ADMIN = {"api_keys": ("root:sk-root-0123456789",), "admins": ("root",)}
HEADERS = {"Authorization": "Bearer sk-root-0123456789"}


async def flash_calls(books: Books) -> list[dict[str, Any]]:
    return [call for call in await books.calls() if call["model_code"] == "qwen3.5-flash"]


async def test_a_price_in_another_currency_is_booked_in_both(
    serve: Serve, deployment: Deployment
) -> None:
    deployment.edit(PRICES, FLASH, IN_CNY)
    (deployment.config / "fx_rates.yaml").write_text(RATE, "utf-8")
    async with serve(deployment) as (agui, books):
        turn = await agui.ask("hello")
        calls = await flash_calls(books)
        currencies = await books.rows("SELECT DISTINCT currency FROM messages")
        assert await books.audit() == {}

    assert turn.breaches == []
    assert [row["currency"] for row in currencies] == ["USD"]
    for call in calls:
        native = (8 * Decimal("0.1") + 3 * Decimal("0.02")
                  + call["output_tokens"] * Decimal("0.4")) / 1_000_000  # fmt: skip
        assert (call["price_currency"], call["currency"]) == ("CNY", "USD")
        assert call["fx_rate"] == Decimal("0.1389")
        assert call["cost_native"] == native
        assert call["cost_exact"] == round(native * Decimal("0.1389"), 12)


async def test_without_a_rate_the_server_does_not_start_and_says_what_is_missing(
    serve: Serve, deployment: Deployment
) -> None:
    deployment.edit(PRICES, FLASH, IN_CNY)
    with pytest.raises(SetupError, match=r"qwen/qwen3.5-flash \(CNY\).*config/fx_rates.yaml"):
        async with serve(deployment):
            pass


@pytest.mark.parametrize(("prompt_tokens", "input_price"), [(32_000, 1), (32_001, 2)])
async def test_the_whole_request_takes_the_tier_of_what_was_really_sent(
    serve: Serve,
    deployment: Deployment,
    provider: FakeProvider,
    prompt_tokens: int,
    input_price: int,
) -> None:
    deployment.edit(PRICES, FLASH, TIERED)
    provider.scenario = chat_script(prompt_tokens=prompt_tokens, cached_tokens=0)
    async with serve(deployment) as (agui, books):
        await agui.ask("hello")
        (first, *_) = await flash_calls(books)
        assert await books.audit() == {}
    spent = prompt_tokens * input_price + first["output_tokens"] * 5 * input_price
    assert first["cost_exact"] == Decimal(spent) / 1_000_000


async def test_a_new_price_holds_for_the_next_turn_and_the_last_one_stays(
    serve: Serve, deployment: Deployment
) -> None:
    async with serve(deployment, auth=ADMIN) as (agui, books):
        agui.http.headers.update(HEADERS)
        await agui.ask("hello")
        before = await flash_calls(books)
        made = await agui.http.post("/v1/prices", json=NEW)
        await agui.ask("hello")
        after = await flash_calls(books)
        assert await books.audit() == {}

    assert made.status_code == 201, made.text
    assert after[: len(before)] == before
    old, new = {call["price_id"] for call in before}, after[len(before) :]
    assert len(new) == len(before) > 0
    for call in new:
        assert call["price_id"] not in old
        assert call["cost_exact"] == Decimal(8 * 5 + 3 + call["output_tokens"] * 7) / 1_000_000


async def test_an_edit_of_the_file_holds_from_the_next_start_and_not_before(
    serve: Serve, deployment: Deployment
) -> None:
    async with serve(deployment) as (agui, books):
        await agui.ask("hello")
        before = await flash_calls(books)
    deployment.edit(PRICES, FLASH, FLASH.replace("0.10", "9"))
    async with serve(deployment) as (agui, books):
        assert await flash_calls(books) == before
        await agui.ask("hello")
        after = await flash_calls(books)
        prices = await books.rows(
            "SELECT input_per_million AS input, upper(effective) AS until FROM llm_prices "
            "WHERE model_code = 'qwen3.5-flash' ORDER BY lower(effective)"
        )
        assert await books.audit() == {}

    assert after[: len(before)] == before
    assert [row["input"] for row in prices] == [Decimal("0.1"), Decimal(9)]
    assert before[-1]["started_at"] < prices[0]["until"] <= after[len(before)]["started_at"]


async def test_an_unpriced_model_is_refused_with_the_command_that_mends_it(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    deployment.edit(PRICES, FLASH, FLASH.replace("2026", "2099"))
    async with serve(deployment, auth=ADMIN) as (agui, books):
        agui.http.headers.update(HEADERS)
        refused = await agui.ask("hello")
        assert (await books.calls(), provider.stats.requests) == ([], 0)
        yesterday = datetime.now(UTC) - timedelta(days=1)
        made = await agui.http.post("/v1/prices", json={**NEW, "validFrom": yesterday.isoformat()})
        assert made.status_code == 201, made.text
        answered = await agui.ask("hello")
        assert await books.audit() == {}

    assert refused.last["code"] == "unpriced"
    assert "callsheet prices set qwen/qwen3.5-flash" in refused.last["message"]
    assert answered.text == "Here is your answer."


async def test_where_it_is_allowed_an_unpriced_call_costs_nothing_and_is_flagged(
    serve: Serve, deployment: Deployment
) -> None:
    deployment.edit(PRICES, FLASH, FLASH.replace("2026", "2099"))
    async with serve(deployment, allow_unpriced=True) as (agui, books):
        turn = await agui.ask("hello")
        calls = await books.calls()
        answer = await agui.http.post(
            "/v1/agent-chat", json=agui.body("hello"), headers={"accept": "application/json"}
        )
        whole = answer.json()
        ran = (await agui.http.get(f"/v1/runs/{whole['runId']}")).json()
        assert await books.audit() == {}

    assert turn.text == "Here is your answer."
    flags = {call["model_code"]: (call["unpriced"], call["price_id"] is None) for call in calls}
    assert flags == {"qwen3.5-flash": (True, True), "deepseek-v3.2": (False, False)}
    assert all(call["cost_exact"] == 0 for call in calls if call["unpriced"])
    assert turn.last["metadata"]["callsheet"]["unpriced"]
    assert (ran["unpriced"], whole["unpriced"]) == (True, True)


async def test_a_rate_of_the_file_that_is_not_taken_is_a_warning(
    deployment: Deployment, serve: Serve
) -> None:
    rates = deployment.config / "fx_rates.yaml"
    rates.write_text(RATE, "utf-8")
    async with serve(deployment):
        pass
    rates.write_text(RATE.replace("0.1389", "0.15"), "utf-8")
    with structlog.testing.capture_logs() as told:
        async with serve(deployment):
            pass
    (warned,) = [line for line in told if line["event"] == "catalog_changed"]
    assert warned["log_level"] == "warning"
    assert "kept (0.1389, the file says 0.15: give it a new date)" in warned["change"]
