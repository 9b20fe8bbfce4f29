"""The model calls of the run in `journal`: what each used, what it cost, what its message says."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID, uuid5

from msgspec.structs import replace

from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished
from callsheet.events.tally import Tally
from callsheet.events.text import TextEnded
from callsheet.events.tool import ToolCallEnded
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import Bill, MeteredUsage, ModelUsage, Usage
from callsheet.kit.money import to_message

STARTED = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
DEEPSEEK, QWEN = ("deepseek", "deepseek-v3.2"), ("qwen", "qwen3.5-flash")

# What was asked for each message: who answered, what was used, what it cost exactly.
SPENT = {
    "intent": (
        DEEPSEEK,
        Usage(input_tokens=60, output_tokens=15, cached_tokens=20, reasoning_tokens=4),
        Decimal("0.000062100000"),
    ),
    "ask": (DEEPSEEK, Usage(input_tokens=60, output_tokens=15), Decimal("0.000061100000")),
    "answer": (QWEN, Usage(input_tokens=40, output_tokens=10), Decimal("0.000000600000")),
}


def named(run: UUID, name: str) -> str:
    """The id of a thing in a run: the same for the same name."""
    return str(uuid5(run, name))


def bill(run: UUID, message: str, seq: int) -> Bill:
    """What a message cost."""
    (_, model), usage, cost = SPENT[message]
    return Bill(
        message_id=named(run, message),
        seq=seq,
        model=model,
        usage=usage,
        cost=to_message(cost),
        currency="USD",
        latency_ms=412,
    )


def call(run: UUID, message: str, stage: str, agent: str) -> tuple[LlmCallStarted, LlmCallFinished]:
    """The begin and the end of the model call behind a message."""
    (factory, model), usage, cost = SPENT[message]
    begun = LlmCallStarted(
        call_id=named(run, f"call of {message}"),
        message_id=named(run, message),
        agent_run_id=named(run, agent),
        stage=stage,
        agent=agent,
        task="t",
        factory=factory,
        model=model,
        attempt=1,
        started_at=STARTED,
        price_id="p",
        reserved_cost=Decimal("0.001"),
        currency="USD",
        visible=stage == "organization",
        estimated_input_tokens=50,
    )
    return begun, LlmCallFinished(
        call_id=begun.call_id,
        message_id=begun.message_id,
        status="settled",
        metered=MeteredUsage(usage=usage, source="provider"),
        cost_native=cost,
        cost_exact=cost,
        latency_ms=412,
    )


def used(events: Iterable[AnyRunEvent]) -> tuple[ModelUsage, ...]:
    """What the calls among the events add up to."""
    tally, begun = Tally(), dict[str, LlmCallStarted]()
    for event in events:
        if isinstance(event, LlmCallStarted):
            begun[event.call_id] = event
        elif isinstance(event, LlmCallFinished):
            tally.add(begun[event.call_id], event)
    return tally.usage()


def unpriced(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The same run where no model has a price and each may be called."""
    told: list[Entry] = []
    for entry in entries:
        event = entry.event
        match event:
            case LlmCallStarted():
                event = replace(event, price_id=None)
            case LlmCallFinished():
                event = replace(event, cost_native=Decimal(0), cost_exact=Decimal(0))
            case TextEnded(bill=Bill() as bill) | ToolCallEnded(bill=Bill() as bill):
                event = replace(event, bill=replace(bill, cost=Decimal(0), unpriced=True))
            case RunFinished():
                event = replace(event, usage=used(before.event for before in told))
            case _:
                pass
        told.append(replace(entry, event=event))
    return tuple(told)
