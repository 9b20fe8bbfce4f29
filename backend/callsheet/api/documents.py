"""The JSON documents that callers see: camelCase, money as decimal strings, times in UTC.

The OpenAPI document is made from these records, so that it cannot say anything else.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec


class Document(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What every document has in common.

    Members about money or models that may be missing are left out where the deployment hides
    these (`ShowOptions`).
    """


class Session(Document, frozen=True, kw_only=True):
    """A session with its totals, over deleted messages too, and what its user has set."""

    id: UUID
    title: str | None
    status: Literal["pending", "running", "completed", "failed"]
    last_activity_at: datetime
    message_count: int
    total_tokens: int
    total_cost: str | msgspec.UnsetType = msgspec.UNSET
    pinned_at: datetime | None
    mode: Literal["full", "plan"]
    persona: str | None
    budget: str | msgspec.UnsetType | None = msgspec.UNSET
    created_at: datetime
    updated_at: datetime


class Message(Document, frozen=True, kw_only=True):
    """A message with what it cost."""

    id: UUID
    session_id: UUID
    seq: int
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    model_code: str | msgspec.UnsetType | None = msgspec.UNSET
    tool_name: str | None
    input_tokens: int
    output_tokens: int
    cost: str | msgspec.UnsetType = msgspec.UNSET
    currency: str | msgspec.UnsetType = msgspec.UNSET
    latency_ms: int | None
    metadata: dict[str, Any]
    created_at: datetime


class Usage(Document, frozen=True, kw_only=True, omit_defaults=True):
    """What was used of one model; a part that is zero is left out.

    Of all models together, without a name, where the deployment hides them.
    """

    provider: str | msgspec.UnsetType = msgspec.UNSET
    model: str | msgspec.UnsetType = msgspec.UNSET
    input_tokens: int
    output_tokens: int
    total_tokens: int
    reasoning_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0


class Failure(Document, frozen=True, kw_only=True):
    """Why a run failed."""

    code: str
    message: str | None


class Run(Document, frozen=True, kw_only=True):
    """A run, how it ended and what it used; no cost where no model was called."""

    id: UUID
    session_id: UUID
    client_run_id: str
    thread_id: str
    parent_run_id: UUID | None
    message_id: UUID | None
    workflow: str
    revision: str | None
    status: Literal[
        "queued", "running", "waiting_input", "succeeded", "failed", "cancelled", "interrupted"
    ]
    error: Failure | None
    usage: list[Usage]
    cost: str | msgspec.UnsetType = msgspec.UNSET
    currency: str | msgspec.UnsetType = msgspec.UNSET
    unpriced: bool | msgspec.UnsetType = msgspec.UNSET
    trace_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class SessionPage(Document, frozen=True, kw_only=True):
    """Sessions, and where the next page begins."""

    items: list[Session]
    next_cursor: str | None


class MessagePage(Document, frozen=True, kw_only=True):
    """Messages, and where the next page begins."""

    items: list[Message]
    next_cursor: str | None


class RunPage(Document, frozen=True, kw_only=True):
    """Runs, and where the next page begins."""

    items: list[Run]
    next_cursor: str | None


class Stopped(Document, frozen=True, kw_only=True):
    """The run that was stopped; null where there was none."""

    run: Run | None


class AnswerMessage(Document, frozen=True, kw_only=True):
    """The visible message of a run; its bill stands in `metadata.callsheet`."""

    id: str
    role: Literal["assistant"]
    content: str
    metadata: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class AskedInterrupt(Document, frozen=True, kw_only=True):
    """What a run waits for; answered with `resume` in the next request.

    `responseSchema` is the JSON schema of the answer's payload. One of reason `client_tool` is a
    call of a tool of the client, answered with a `tool` message.
    """

    id: str
    reason: Literal["question", "approval", "client_tool", "budget"]
    message: str
    tool_call_id: str | None
    tool: str | None
    response_schema: dict[str, Any] | None
    detail: dict[str, Any]
    expires_at: datetime


class InterruptAnswer(Document, frozen=True, kw_only=True):
    """What was answered, when, by whom, and the run that went on with it."""

    status: Literal["resolved", "cancelled"]
    payload: Any
    answered_at: datetime
    answered_by: UUID | None
    run_id: UUID


class Interrupt(AskedInterrupt, frozen=True, kw_only=True):
    """An interrupt with where it belongs and what became of it."""

    run_id: UUID
    session_id: UUID
    status: Literal["open", "answered", "closed", "expired"]
    created_at: datetime
    answer: InterruptAnswer | None


class InterruptPage(Document, frozen=True, kw_only=True):
    """Interrupts, and where the next page begins."""

    items: list[Interrupt]
    next_cursor: str | None


class Answer(Document, frozen=True, kw_only=True):
    """A whole turn for callers that do not stream."""

    session_id: UUID
    thread_id: str
    run_id: UUID
    trace_id: str
    status: Literal["succeeded", "failed", "cancelled", "interrupted", "waiting_input"]
    message: AnswerMessage | None
    usage: list[Usage]
    cost: str | msgspec.UnsetType = msgspec.UNSET
    currency: str | msgspec.UnsetType = msgspec.UNSET
    unpriced: bool | msgspec.UnsetType = msgspec.UNSET
    error: Failure | msgspec.UnsetType = msgspec.UNSET
    reason: str | msgspec.UnsetType = msgspec.UNSET
    steered_run_id: str | msgspec.UnsetType = msgspec.UNSET
    interrupts: list[AskedInterrupt] | msgspec.UnsetType = msgspec.UNSET


class ProblemDocument(Document, frozen=True, kw_only=True):
    """An error (RFC 9457), with what belongs to the case beside the standard members."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    trace_id: str
    field: str | msgspec.UnsetType = msgspec.UNSET
    limit: int | msgspec.UnsetType = msgspec.UNSET
    run_id: str | msgspec.UnsetType = msgspec.UNSET
    retry_after_s: float | msgspec.UnsetType = msgspec.UNSET
