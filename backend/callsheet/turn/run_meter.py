"""Prices the model calls of one run as they begin and end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from decimal import Decimal
from typing import Final
from uuid import UUID

from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.tally import Tally
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import Bill, MeteredUsage, ModelUsage, Usage
from callsheet.kit.clock import Clock
from callsheet.kit.errors import Unavailable, Unpriced
from callsheet.kit.ids import new_id
from callsheet.kit.money import to_message
from callsheet.ledger.budget.refusal import BUDGET_SPENT
from callsheet.ledger.price.quote import Quote
from callsheet.turn.meter import CallEnd, CallIntent
from callsheet.turn.ports import CallWatch, Emit, Prices, RunLog, unwatched

_NOT_SENT: Final = MeteredUsage(usage=Usage(), source="none")


class RunMeter:
    """Implements `turn.meter.Meter` for one run."""

    def __init__(
        self,
        prices: Prices,
        log: RunLog,
        emit: Emit,
        clock: Clock,
        watch: CallWatch = unwatched,
        *,
        session_budget: Decimal | None = None,
    ) -> None:
        self._prices = prices
        self._session_budget = session_budget
        self._log = log
        self._emit = emit
        self._clock = clock
        self._watch = watch
        self._open: dict[str, MeteredCall] = {}
        self._tally = Tally()

    async def open(self, intent: CallIntent) -> MeteredCall:
        """Price the call, emit LlmCallStarted, and return once its row is committed.

        Raises:
            Unpriced: the model has no price now, or one of units that a chat does not count.
        """
        started_at = self._clock.now()
        quote = self._prices.quote(intent.factory, intent.model, started_at)
        if unit := quote.uncounted:
            raise Unpriced(
                f"Model {intent.model!r} of {intent.factory!r} is priced per {unit}, which a chat "
                f"does not count. Set a price per token: callsheet prices set "
                f"{intent.factory}/{intent.model} --input ... --cached ... --output ...",
                model=intent.model,
                factory=intent.factory,
            )
        most = Usage(
            input_tokens=intent.estimated_input_tokens, output_tokens=intent.max_output_tokens
        )
        reserved = quote.reserve(most)
        started = LlmCallStarted(
            call_id=str(new_id()),
            message_id=intent.message_id,
            agent_run_id=intent.agent_run_id,
            stage=intent.stage,
            agent=intent.agent,
            task=intent.task,
            factory=intent.factory,
            model=intent.model,
            attempt=intent.attempt,
            started_at=started_at,
            price_id=_text(reserved.price_id),
            reserved_cost=reserved.exact,
            reserved_tokens=most.total_tokens,
            currency=quote.currency,
            price_currency=quote.price_currency,
            fx_rate=quote.fx_rate,
            visible=intent.visible,
            estimated_input_tokens=intent.estimated_input_tokens,
            purpose=intent.purpose,
            tool=intent.tool,
            session_budget=self._session_budget,
        )
        self._emit(started)
        call = MeteredCall(self, started, quote)
        self._open[started.call_id] = call
        try:
            await self._log.stored()
        except (asyncio.CancelledError, Unavailable):  # the row may be there all the same
            call.close(CallEnd(status="aborted", metered=_NOT_SENT))
            raise
        refusal = self._log.refusal(call.call_id)
        if refusal is not None:
            call.close(CallEnd(status="refused", metered=_NOT_SENT, error_code=BUDGET_SPENT))
            raise refusal.error()
        call.sent()
        return call

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed."""
        await self._log.stored()

    def count(self, events: Iterable[AnyRunEvent]) -> None:
        """Add up what the run has used already, in a process before this one."""
        self._tally.add_all(events)

    def close_all(self) -> None:
        """Settle calls that were left open, with what was sent: the last net before the end."""
        for call in list(self._open.values()):
            call.close(CallEnd(status="aborted", metered=call.sent_at_least()))

    def usage(self) -> tuple[ModelUsage, ...]:
        """What the run used so far, by model."""
        return self._tally.usage()

    def settle(self, started: LlmCallStarted, finished: LlmCallFinished) -> Bill:
        """Emit the end of a call and add it up; the bill of its message so far."""
        self._open.pop(started.call_id, None)
        self._emit(finished)
        self._watch(started, finished)
        spent = self._tally.add(started, finished)
        return Bill(
            message_id=started.message_id,
            seq=self._log.message_seq(started.message_id),
            model=started.model,
            usage=spent.usage,
            cost=to_message(spent.cost),
            currency=started.currency,
            latency_ms=finished.latency_ms,
            estimated=spent.estimated,
            unpriced=spent.unpriced,
        )


class MeteredCall:
    """Implements `turn.meter.OpenCall`."""

    def __init__(self, meter: RunMeter, started: LlmCallStarted, quote: Quote) -> None:
        self._meter = meter
        self._started = started
        self._quote = quote
        self._sent_s = time.monotonic()
        self._bill: Bill | None = None

    @property
    def call_id(self) -> str:
        """The ledger row's id."""
        return self._started.call_id

    def sent_at_least(self) -> MeteredUsage:
        """What it used if nothing is known but that the request left."""
        sent = Usage(input_tokens=self._started.estimated_input_tokens)
        return MeteredUsage(usage=sent, source="estimated", method="sent")

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed."""
        await self._meter.stored()

    def sent(self) -> None:
        """The request leaves now: latency counts from here."""
        self._sent_s = time.monotonic()

    def close(self, end: CallEnd) -> Bill:
        """Settle it; a second call returns the first bill."""
        if self._bill is None:
            metered = self._quote.counted(end.metered)
            cost = self._quote.cost(metered)
            finished = LlmCallFinished(
                call_id=self.call_id,
                message_id=self._started.message_id,
                status=end.status,
                metered=metered,
                cost_native=cost.native,
                cost_exact=cost.exact,
                latency_ms=round((time.monotonic() - self._sent_s) * 1000),
                first_token_at=end.first_token_at,
                finish_reason=end.finish_reason,
                error_code=end.error_code,
                upstream_id=end.upstream_id,
                response_model=end.response_model,
                price_id=_text(cost.price_id),
            )
            self._bill = self._meter.settle(self._started, finished)
        return self._bill


def _text(price_id: UUID | None) -> str | None:
    return None if price_id is None else str(price_id)
