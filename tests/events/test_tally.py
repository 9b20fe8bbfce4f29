"""What the calls of a run add up to, by message and by model."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from callsheet.events.call import CallStatus, LlmCallFinished, LlmCallStarted
from callsheet.events.tally import Spent, Tally
from callsheet.events.usage import MeteredUsage, Usage, UsageSource

USED = Usage(input_tokens=10, output_tokens=2)


def begun(call: str, message: str, model: str = "small") -> LlmCallStarted:
    return LlmCallStarted(
        call_id=call,
        message_id=message,
        agent_run_id="a",
        stage="intent",
        agent="router",
        task="t",
        factory="qwen",
        model=model,
        attempt=1,
        started_at=datetime(2026, 12, 1, tzinfo=UTC),
        price_id="p",
        reserved_cost=Decimal(0),
        currency="USD",
        visible=False,
        estimated_input_tokens=1,
    )


def ended(
    call: LlmCallStarted,
    cost: str,
    status: CallStatus = "settled",
    source: UsageSource = "provider",
    used: Usage = USED,
) -> LlmCallFinished:
    return LlmCallFinished(
        call_id=call.call_id,
        message_id=call.message_id,
        status=status,
        metered=MeteredUsage(usage=used, source=source),
        cost_native=Decimal(cost),
        cost_exact=Decimal(cost),
        latency_ms=1,
    )


def test_attempts_of_one_message_add_up_before_they_are_rounded() -> None:
    tally = Tally()
    first, second = begun("1", "m"), begun("2", "m")
    tally.add(first, ended(first, "0.0000004"))
    spent = tally.add(second, ended(second, "0.0000004", "failed", "estimated"))
    assert spent == Spent(USED.plus(USED), Decimal("0.0000008"), estimated=True)
    [model] = tally.usage()
    assert (model.cost, model.usage) == (Decimal("0.000001"), USED.plus(USED))


def test_messages_are_rounded_each_and_models_are_told_apart() -> None:
    tally = Tally()
    for number, model in enumerate(("small", "large", "small")):
        call = begun(str(number), f"m{number}", model)
        tally.add(call, ended(call, "0.0000006"))
    assert [(used.model, used.cost) for used in tally.usage()] == [
        ("small", Decimal("0.000002")),
        ("large", Decimal("0.000001")),
    ]


def test_a_model_without_a_price_is_marked_and_no_other_is() -> None:
    tally = Tally()
    free = msgspec.structs.replace(begun("1", "m"), price_id=None)
    assert tally.add(free, ended(free, "0")).unpriced
    priced_since = msgspec.structs.replace(free, call_id="2", message_id="n", model="other")
    late = msgspec.structs.replace(ended(priced_since, "0.1"), price_id="p")
    assert not tally.add(priced_since, late).unpriced
    assert [(each.model, each.unpriced) for each in tally.usage()] == [
        ("small", True), ("other", False),
    ]  # fmt: skip


def test_a_refused_call_adds_nothing_and_names_no_model() -> None:
    tally = Tally()
    refused = begun("1", "m")
    none = ended(refused, "0", "refused", "none", Usage())
    assert tally.add(refused, none) == Spent(Usage(), Decimal(0))
    assert tally.usage() == ()
    booked, again = begun("2", "m"), begun("3", "m", "large")
    before = tally.add(booked, ended(booked, "0.000002"))
    assert tally.add(again, ended(again, "0", "refused", "none", Usage())) == before
    assert [used.model for used in tally.usage()] == ["small"]
