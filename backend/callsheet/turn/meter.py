"""Opens and closes the ledger's view of each model call of one run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from callsheet.events.call import CallStatus
from callsheet.events.usage import Bill, MeteredUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class CallIntent:
    """A request that is about to leave: who asks which model, on which message it books.

    `tool` is the tool that asks, where one does: then it is the message of that tool's result.
    `attempt` counts from 1 on one message. Estimated input and most output give what is reserved.
    """

    message_id: str
    agent_run_id: str
    stage: str
    agent: str
    task: str
    factory: str
    model: str
    attempt: int
    visible: bool
    estimated_input_tokens: int
    max_output_tokens: int
    purpose: str = "answer"
    tool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """How a request ended, and what of it is known. `error_code` is None where it went well."""

    status: CallStatus
    metered: MeteredUsage
    first_token_at: datetime | None = None
    finish_reason: str | None = None
    error_code: str | None = None
    upstream_id: str | None = None
    response_model: str | None = None


class OpenCall(Protocol):
    """A call whose ledger row is open."""

    @property
    def call_id(self) -> str:
        """The ledger row's id."""
        ...

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed; raises Unavailable."""
        ...

    def close(self, end: CallEnd) -> Bill:
        """Settle it: emits LlmCallFinished, once; a second call returns the first bill.

        The bill is the message's so far: all attempts that booked on it.
        """
        ...


class Meter(Protocol):
    """The meter of one run."""

    async def stored(self) -> None:
        """Return once all that was emitted so far is committed; raises Unavailable."""
        ...

    async def open(self, intent: CallIntent) -> OpenCall:
        """Price the call, emit LlmCallStarted, and return once the row is committed.

        Raises:
            Unpriced: the model has no valid price; nothing was written.
            QuotaSpent: a budget does not let it begin; nothing may be sent.
            Unavailable: the database could not be written.
        """
        ...
