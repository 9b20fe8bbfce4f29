"""Adds up what the model calls of one run used: by message and by model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from callsheet.events.call import LlmCallFinished, LlmCallStarted, is_unpriced
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import ModelUsage, Usage
from callsheet.kit.money import to_message


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls used together; `cost` is exact, `estimated`, `unpriced`: some of it is."""

    usage: Usage
    cost: Decimal
    estimated: bool = False
    unpriced: bool = False


_NOTHING = Spent(Usage(), Decimal(0))


class Tally:
    """Of calls that have ended."""

    def __init__(self) -> None:
        self._by_message: dict[str, Spent] = {}
        self._by_model: dict[tuple[str, str, str], tuple[Usage, Decimal, bool]] = {}

    def add(self, started: LlmCallStarted, finished: LlmCallFinished) -> Spent:
        """Take in a call; what its message has used so far. A refused one used nothing."""
        before = self._by_message.get(started.message_id, _NOTHING)
        if finished.status == "refused":
            return before
        after = self._by_message[started.message_id] = Spent(
            before.usage.plus(finished.metered.usage),
            before.cost + finished.cost_exact,
            before.estimated or finished.metered.source == "estimated",
            before.unpriced or is_unpriced(started, finished),
        )
        key = (started.factory, started.model, started.currency)
        usage, cost, unpriced = self._by_model.get(key, (Usage(), Decimal(0), False))
        # As the messages are rounded, so that a run costs what it adds to its session.
        added = to_message(after.cost) - to_message(before.cost)
        self._by_model[key] = (
            usage.plus(finished.metered.usage),
            cost + added,
            unpriced or is_unpriced(started, finished),
        )
        return after

    def add_all(self, events: Iterable[AnyRunEvent]) -> None:
        """Take in every call that has begun and ended among these events of a run."""
        begun: dict[str, LlmCallStarted] = {}
        for event in events:
            if isinstance(event, LlmCallStarted):
                begun[event.call_id] = event
            elif isinstance(event, LlmCallFinished) and event.call_id in begun:
                self.add(begun[event.call_id], event)

    def usage(self) -> tuple[ModelUsage, ...]:
        """The sums by model, in the order in which the models were first seen."""
        return tuple(
            ModelUsage(
                factory=factory,
                model=model,
                usage=usage,
                cost=cost,
                currency=currency,
                unpriced=unpriced,
            )
            for (factory, model, currency), (usage, cost, unpriced) in self._by_model.items()
        )
