"""Model calls and what they answered."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import msgspec

from callsheet.events.base import RunEvent
from callsheet.events.usage import MeteredUsage

CallStatus = Literal["settled", "failed", "aborted", "orphaned", "refused"]
MessageStatus = Literal["final", "partial", "discarded"]


class LlmCallStarted(RunEvent, frozen=True, kw_only=True, tag="llm_call_started"):
    """A request is about to leave. Committed before it does: opens the ledger row.

    The first attempt of an answer also creates the assistant message `message_id`; a further
    attempt books on the same message. `tool` names the tool that asks, where one does: then it is
    the message of that tool's result. `reserved_cost` is in `currency`, the accounting one;
    `price_id` is the price that holds for the estimate, None where the model has none and the
    deployment lets it be called. `session_budget` is the most that all calls of the session may
    cost, where its user has set that.
    """

    call_id: str
    message_id: str
    agent_run_id: str
    stage: str
    agent: str
    task: str
    factory: str
    model: str
    attempt: int
    started_at: datetime
    price_id: str | None
    reserved_cost: Decimal
    currency: str
    visible: bool
    estimated_input_tokens: int
    purpose: str = "answer"
    reserved_tokens: int = 0
    price_currency: str | None = None
    fx_rate: Decimal = Decimal(1)
    tool: str | None = None
    session_budget: Decimal | None = None


class LlmCallFinished(RunEvent, frozen=True, kw_only=True, tag="llm_call_finished"):
    """A request has ended, in whatever way. Settles the ledger row, exactly once.

    `refused`: a budget did not let it begin, so that nothing was sent and no row stands. `price_id`
    is the price that it was booked with, None: the one that was reserved with.
    """

    call_id: str
    message_id: str
    status: CallStatus
    metered: MeteredUsage
    cost_native: Decimal
    cost_exact: Decimal
    latency_ms: int
    first_token_at: datetime | None = None
    finish_reason: str | None = None
    error_code: str | None = None
    upstream_id: str | None = None
    response_model: str | None = None
    price_id: str | None = None


def is_unpriced(started: LlmCallStarted, finished: LlmCallFinished) -> bool:
    """Whether the call was let out without a price: its cost is 0 since it is not known."""
    return started.price_id is None and finished.price_id is None


class RequestedTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call as the model asked for it; `arguments` is its text, perhaps not JSON."""

    tool_call_id: str
    name: str
    arguments: str


class AnswerFinished(RunEvent, frozen=True, kw_only=True, tag="answer_finished"):
    """One model answer, whole: finishes its message, and is what a later start goes on from.

    `path` as in `TaskFinished`; `iteration` counts the answers of one execution from 0.
    `metadata` is added to the message's own.
    """

    message_id: str
    status: MessageStatus
    text: str
    path: str = ""
    iteration: int = 0
    reasoning: str = ""
    tool_calls: tuple[RequestedTool, ...] = ()
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
