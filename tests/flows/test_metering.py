"""What a provider reports is on the row as it came, in the normal form, and in the metrics."""

from __future__ import annotations

import json
from decimal import Decimal

from prometheus_client.parser import text_string_to_metric_families

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve

Samples = dict[tuple[str, ...], Decimal]


async def _scraped(agui: AgUiClient, name: str, *labels: str) -> Samples:
    """The sums of one metric by some of its labels."""
    answer = await agui.http.get("/metrics")
    assert answer.status_code == 200
    sums: Samples = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            if sample.name == name:
                key = tuple(sample.labels[label] for label in labels)
                sums[key] = sums.get(key, Decimal(0)) + Decimal(str(sample.value))
    return sums


async def test_a_row_keeps_what_was_reported_and_what_it_means(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    await agui.ask("hello")
    rows = await books.rows("SELECT * FROM llm_calls ORDER BY started_at")

    assert len(rows) == 3
    for row in rows:
        raw = json.loads(row["raw_usage"])
        assert raw["prompt_tokens"] == row["input_tokens"] == 11
        assert raw["prompt_tokens_details"]["cached_tokens"] == row["cached_tokens"] == 3
        assert (row["usage_source"], row["usage_method"]) == ("provider", None)
        assert row["cache_type"] == "implicit"
        assert row["response_model"]


async def test_the_metrics_are_what_the_ledger_says(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(deployment) as (agui, books):
        await agui.ask("hello")
        provider.scenario = chat_script(execution={"fault": "drop", "fault_at": 2})
        await agui.ask("hello again")
        calls = await _scraped(agui, "callsheet_llm_calls_total", "status", "usage_source")
        tokens = await _scraped(agui, "callsheet_llm_tokens_total", "kind")
        cost = await _scraped(agui, "callsheet_llm_cost_total", "model")
        methods = await _scraped(agui, "callsheet_llm_estimated_usage_total", "method")
        unlike = await _scraped(agui, "callsheet_llm_other_model_answers_total", "model")
        [row] = await books.rows(
            "SELECT count(*) AS calls, sum(cost_exact) AS cost, sum(cached_tokens) AS cached,"
            " sum(input_tokens - cached_tokens) AS input FROM llm_calls"
        )

    assert calls == {("settled", "provider"): 4, ("failed", "estimated"): 1}
    assert sum(calls.values()) == row["calls"]
    assert (tokens["input",], tokens["cached",]) == (row["input"], row["cached"])
    assert abs(sum(cost.values()) - row["cost"]) < Decimal("1e-12")
    assert methods == {("tokens",): 1}
    assert unlike == {}


async def test_a_vendor_that_counts_beside_is_read_as_its_dialect_says(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    dialect = "usage_dialect: relay_reasoning_outside"
    deployment.edit("config/models.yaml", "usage_dialect: dashscope", dialect)
    provider.scenario = chat_script(completion_tokens=30, reasoning_tokens=20)
    async with serve(deployment) as (agui, books):
        await agui.ask("hello")
        rows = await books.rows(
            "SELECT model_code, output_tokens, reasoning_tokens, usage_source FROM llm_calls"
        )

    outputs = {row["model_code"]: row["output_tokens"] for row in rows}
    assert outputs["qwen3.5-flash"] == 50
    assert {row["reasoning_tokens"] for row in rows} == {20}
    assert {row["usage_source"] for row in rows} == {"provider"}


async def test_an_endpoint_that_is_not_asked_for_usage_is_estimated_and_told_so(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    for dialect in ("dashscope", "deepseek"):
        old = f"usage_dialect: {dialect}"
        deployment.edit("config/models.yaml", old, f"{old}\n    asks_for_usage: false")
    async with serve(deployment) as (agui, books):
        turn = await agui.ask("hello")
        rows = await books.rows("SELECT usage_source, usage_method, output_tokens FROM llm_calls")

    assert turn.text == "Here is your answer."
    assert all("stream_options" not in body for body in provider.bodies)
    assert {(row["usage_source"], row["usage_method"]) for row in rows} == {("estimated", "tokens")}
    assert all(row["output_tokens"] > 0 for row in rows)
