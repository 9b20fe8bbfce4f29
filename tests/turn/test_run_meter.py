"""A run's calls are priced when they begin, booked when they end, and never left open."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.usage import MeteredUsage, ModelUsage, Usage, UsageSource
from callsheet.kit.errors import Unavailable, Unpriced
from callsheet.ledger.price.quote import Quote
from callsheet.turn.meter import CallEnd
from callsheet.turn.run_meter import RunMeter
from tests.fakes.clock import HandClock
from tests.turn.scripted import MemoryLog, OnePrice
from tests.turn.test_engine import CALL

NOTHING = MeteredUsage(usage=Usage(), source="none")


class GatedLog(MemoryLog):
    """Commits when it is let, or fails to."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Event()
        self.commit = asyncio.Event()
        self.failure: Unavailable | None = None

    async def stored(self) -> None:
        self.waiting.set()
        await self.commit.wait()
        if self.failure is not None:
            raise self.failure


class TinyPrice(OnePrice):
    """One input token costs less than half of what a message can say."""

    input_per_million = Decimal("0.4")


def meter_on(log: MemoryLog, prices: OnePrice | None = None) -> RunMeter:
    def emit(event: Any) -> None:
        log.append(event)

    return RunMeter(prices or OnePrice(), log, emit, HandClock())


async def test_a_call_begins_with_its_price_and_what_it_may_cost_at_most() -> None:
    log = MemoryLog()
    call = await meter_on(log).open(CALL)
    (started,) = log.of(LlmCallStarted)
    assert isinstance(started, LlmCallStarted)
    assert started.call_id == call.call_id
    assert started.started_at == HandClock().now()
    assert started.reserved_cost == Decimal("0.000310000000")  # 10 x 1 + 100 x 3 millionths
    (price,) = OnePrice().quote("f", "m", started.started_at).prices
    assert (started.currency, started.price_id) == ("USD", str(price.id))
    assert started.reserved_tokens == 110


async def test_a_request_leaves_only_after_its_row_is_committed() -> None:
    log = GatedLog()
    task = asyncio.ensure_future(meter_on(log).open(CALL))
    await log.waiting.wait()
    await asyncio.sleep(0)
    assert not task.done()
    log.commit.set()
    assert (await task).call_id


async def test_a_stop_while_the_row_is_being_written_settles_it_as_never_sent() -> None:
    log = GatedLog()
    meter = meter_on(log)
    task = asyncio.ensure_future(meter.open(CALL))
    await log.waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (finished,) = log.of(LlmCallFinished)
    assert isinstance(finished, LlmCallFinished)
    assert (finished.status, finished.metered) == ("aborted", NOTHING)
    assert finished.cost_exact == 0
    meter.close_all()
    assert len(log.of(LlmCallFinished)) == 1


async def test_a_row_that_cannot_be_written_lets_no_request_leave() -> None:
    """The database may have stored the row before it went away: then it costs nothing."""
    log = GatedLog()
    log.failure = Unavailable("away")
    log.commit.set()
    meter = meter_on(log)
    with pytest.raises(Unavailable):
        await meter.open(CALL)
    meter.close_all()
    (finished,) = log.of(LlmCallFinished)
    assert isinstance(finished, LlmCallFinished)
    assert (finished.status, finished.metered) == ("aborted", NOTHING)


async def test_an_unpriced_model_writes_nothing() -> None:
    log = MemoryLog()
    with pytest.raises(Unpriced):
        await meter_on(log).open(replace(CALL, model="free?"))
    assert log.events == []


async def test_a_price_of_units_that_a_chat_does_not_count_is_none() -> None:
    class PerSecond(OnePrice):
        def quote(self, factory: str, model_code: str, at: datetime) -> Quote:
            quote = super().quote(factory, model_code, at)
            rows = tuple(replace(row, unit="second", per_unit=Decimal(1)) for row in quote.prices)
            return replace(quote, prices=rows)

    log = MemoryLog()
    with pytest.raises(Unpriced, match="priced per second"):
        await meter_on(log, PerSecond()).open(CALL)
    assert log.events == []


async def test_a_call_is_settled_once_whatever_is_said_later() -> None:
    log = MemoryLog()
    meter = meter_on(log)
    call = await meter.open(CALL)
    used = MeteredUsage(usage=Usage(input_tokens=3, output_tokens=1), source="provider", raw={})
    bill = call.close(
        CallEnd(
            status="settled",
            metered=used,
            finish_reason="stop",
            upstream_id="u",
            response_model="r",
        )
    )
    assert call.close(CallEnd(status="failed", metered=NOTHING)) is bill
    (finished,) = log.of(LlmCallFinished)
    assert isinstance(finished, LlmCallFinished)
    assert (finished.status, finished.finish_reason, finished.upstream_id) == (
        "settled", "stop", "u",
    )  # fmt: skip
    assert (bill.cost, bill.usage.total_tokens, bill.estimated) == (Decimal("0.000006"), 4, False)


async def test_a_call_that_was_left_open_is_booked_with_what_was_sent() -> None:
    """The provider has read the question, and bills it."""
    log = MemoryLog()
    meter = meter_on(log)
    await meter.open(CALL)
    meter.close_all()
    meter.close_all()
    (finished,) = log.of(LlmCallFinished)
    assert isinstance(finished, LlmCallFinished)
    assert finished.status == "aborted"
    assert finished.metered == MeteredUsage(
        usage=Usage(input_tokens=10), source="estimated", method="sent"
    )
    assert finished.cost_exact == Decimal("0.000010")


async def test_usage_is_summed_by_model_and_bills_by_message() -> None:
    log = MemoryLog()
    meter = meter_on(log)
    bills = []
    booked: list[tuple[str, int, UsageSource]] = [
        ("m1", 2, "provider"),
        ("m2", 5, "estimated"),
        ("m1", 3, "provider"),
    ]
    for message, tokens, source in booked:
        call = await meter.open(replace(CALL, message_id=message))
        metered = MeteredUsage(usage=Usage(input_tokens=tokens), source=source, raw={})
        bills.append(call.close(CallEnd(status="settled", metered=metered)))
    assert [(b.message_id, b.usage.input_tokens, b.estimated) for b in bills] == [
        ("m1", 2, False),
        ("m2", 5, True),
        ("m1", 5, False),
    ]
    assert meter.usage() == (
        ModelUsage(
            factory="f",
            model="m",
            usage=Usage(input_tokens=10),
            cost=Decimal("0.000010"),
            currency="USD",
        ),
    )


async def test_a_run_costs_the_sum_of_its_messages_which_are_rounded_each() -> None:
    meter = meter_on(MemoryLog(), TinyPrice())
    # 1.6 millionths in all. The second attempt of `m1` lifts that message to 1, the others say 0.
    for message in ("m1", "m2", "m1", "m3"):
        call = await meter.open(replace(CALL, message_id=message))
        metered = MeteredUsage(usage=Usage(input_tokens=1), source="provider", raw={})
        call.close(CallEnd(status="settled", metered=metered))

    assert [used.cost for used in meter.usage()] == [Decimal("0.000001")]


def test_a_run_without_calls_used_nothing() -> None:
    assert meter_on(MemoryLog()).usage() == ()
