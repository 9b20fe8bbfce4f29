"""Each call that ends is counted once, and what is odd about it is warned of once."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.metrics.calls import CallMetrics
from callsheet.metrics.page import MetricsPage
from tests.llm.calling import a_model

MODEL = a_model()
WHICH = (MODEL.factory, MODEL.model_code)
USED = Usage(input_tokens=100, cached_tokens=60, output_tokens=30, reasoning_tokens=10)
STARTED = LlmCallStarted(
    call_id="c",
    message_id="m",
    agent_run_id="a",
    stage="s",
    agent="w",
    task="t",
    factory=MODEL.factory,
    model=MODEL.model_code,
    attempt=1,
    started_at=datetime(2026, 12, 1, tzinfo=UTC),
    price_id=None,
    reserved_cost=Decimal(0),
    currency="CNY",
    visible=True,
    estimated_input_tokens=1,
)


def ended(metered: MeteredUsage | None = None, **changes: Any) -> LlmCallFinished:
    values: dict[str, Any] = {
        "call_id": "c",
        "message_id": "m",
        "status": "settled",
        "metered": metered or MeteredUsage(usage=USED, source="provider"),
        "cost_native": Decimal("0.1"),
        "cost_exact": Decimal("0.1"),
        "latency_ms": 1,
        **changes,
    }
    return LlmCallFinished(**values)


def counted(*calls: LlmCallFinished) -> CallMetrics:
    metrics = CallMetrics({MODEL.model_code: MODEL})
    for call in calls:
        metrics(STARTED, call)
    return metrics


def test_a_call_adds_its_tokens_by_kind_and_its_cost_exactly() -> None:
    metrics = counted(ended(), ended(), ended())

    assert metrics.calls.value(*WHICH, "settled", "provider") == 3
    tokens = {labels[-1]: value for labels, value in metrics.tokens}
    assert tokens == {"input": 120, "cached": 180, "output": 60, "reasoning": 30}
    assert metrics.cost.value(*WHICH, "CNY") == Decimal("0.3")
    assert list(metrics.estimated) == []


def test_estimates_are_counted_by_the_way_they_were_made() -> None:
    def estimated(method: str, status: str) -> LlmCallFinished:
        metered = MeteredUsage(usage=USED, source="estimated", method=method)
        return ended(metered, status=status)

    metrics = counted(estimated("tokens", "aborted"), estimated("partial", "settled"))

    assert dict(metrics.estimated) == {(*WHICH, "tokens"): 1, (*WHICH, "partial"): 1}
    assert metrics.calls.value(*WHICH, "aborted", "estimated") == 1


def test_a_refused_call_is_no_use_of_anything() -> None:
    nothing = MeteredUsage(usage=Usage(), source="none")
    metrics = counted(ended(nothing, status="refused", error_code="budget_spent"))

    assert metrics.refused.value(*WHICH, "budget_spent") == 1
    assert metrics.calls.value(*WHICH, "refused", "none") == 1
    assert list(metrics.tokens) == list(metrics.cost) == []


def test_a_key_that_the_dialect_does_not_know_is_counted_always_and_logged_once() -> None:
    raw = {"prompt_tokens": 100, "completion_tokens": 30, "video\nseconds": 3, "more": {"x": 1}}
    call = ended(MeteredUsage(usage=USED, source="provider", raw=raw))
    with capture_logs() as lines:
        metrics = counted(call, call, call)

    assert metrics.unknown_keys.value(*WHICH) == 6
    keys = [line["key"] for line in lines if line["event"] == "usage_key_unknown"]
    assert len(keys) == 2
    assert "more" in keys
    assert not any("\n" in key for key in keys)


def test_a_provider_that_makes_keys_up_does_not_fill_the_log() -> None:
    calls = [
        ended(MeteredUsage(usage=USED, source="provider", raw={f"key-{number}": 1}))
        for number in range(1_500)
    ]
    with capture_logs() as lines:
        metrics = counted(*calls)

    assert metrics.unknown_keys.value(*WHICH) == 1_500
    assert len(lines) == 1_000
    assert len(list(metrics.unknown_keys)) == 1


def test_an_answer_of_another_model_is_counted_always_and_logged_once_for_each_pair() -> None:
    with capture_logs() as lines:
        metrics = counted(
            ended(response_model=MODEL.upstream_model),
            ended(response_model=None),
            ended(response_model="cheaper"),
            ended(response_model="cheaper"),
            ended(response_model="dearer"),
        )

    assert metrics.other_models.value(*WHICH) == 3
    assert [(line["asked"], line["answered"]) for line in lines] == [
        (MODEL.upstream_model, "cheaper"),
        (MODEL.upstream_model, "dearer"),
    ]


def test_the_page_is_what_a_scraper_reads() -> None:
    metrics = counted(ended())
    page = MetricsPage(metrics.all())
    families = {f.name: f for f in text_string_to_metric_families(page.text().decode())}

    (sample,) = families["callsheet_llm_calls"].samples
    assert (sample.name, sample.value) == ("callsheet_llm_calls_total", 1)
    assert sample.labels == {
        "factory": "qwen",
        "model": "qwen3.5-flash",
        "status": "settled",
        "usage_source": "provider",
    }
    assert families["callsheet_llm_cost"].samples[0].labels["currency"] == "CNY"
    assert "process_cpu_seconds" in families
    assert page.content_type.startswith("text/plain; version=0.0.4")
