"""The end of a call whose process is gone, made up from what its journal holds; pure."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from callsheet.events.call import CallStatus, LlmCallFinished, LlmCallStarted
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.changes import WORKER_DIED
from callsheet.ledger.budget.refusal import BUDGET_SPENT
from callsheet.ledger.price.quote import Cost, Quote
from callsheet.llm.tokens import estimate_tokens

UNBOOKED: Final = "not_booked"
"""The code of a call whose usage the books could not take."""

_NOTHING: Final = MeteredUsage(usage=Usage(), source="none")
_FREE: Final = Cost(None, Decimal(0), Decimal(0))


def orphaned(started: LlmCallStarted, streamed: str, quote: Quote | None) -> LlmCallFinished:
    """Settled by estimate: the prompt, and what had streamed; None: it was refused, has no row."""
    if quote is None:
        return _ended(started, "refused", _NOTHING, _FREE, BUDGET_SPENT)
    usage = Usage(
        input_tokens=started.estimated_input_tokens, output_tokens=estimate_tokens(streamed)
    )
    metered = quote.counted(MeteredUsage(usage=usage, source="estimated", method="journal"))
    return _ended(started, "orphaned", metered, quote.cost(metered), WORKER_DIED)


def unbooked(started: LlmCallStarted) -> LlmCallFinished:
    """Settled with nothing, so that what it held is free."""
    return _ended(started, "orphaned", _NOTHING, _FREE, UNBOOKED)


def _ended(
    started: LlmCallStarted, status: CallStatus, metered: MeteredUsage, cost: Cost, code: str
) -> LlmCallFinished:
    return LlmCallFinished(
        call_id=started.call_id,
        message_id=started.message_id,
        status=status,
        metered=metered,
        cost_native=cost.native,
        cost_exact=cost.exact,
        price_id=None if cost.price_id is None else str(cost.price_id),
        latency_ms=0,
        error_code=code,
    )
