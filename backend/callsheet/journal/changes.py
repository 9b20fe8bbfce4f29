"""What one event changes in the tables beside the journal; pure."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from callsheet.events.call import AnswerFinished, LlmCallFinished, LlmCallStarted
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunPaused, RunStarted
from callsheet.events.steered import Steered
from callsheet.events.tool import ToolResult
from callsheet.events.union import AnyRunEvent
from callsheet.interrupts.new_interrupt import NewInterrupt
from callsheet.journal.messages import answer_message, opened_by_tool, result_message
from callsheet.kit.json import encode
from callsheet.ledger.call import OpenedCall, SettledCall
from callsheet.runs.end import SESSION_STATUS, RunEnd
from callsheet.runs.run import RunStatus
from callsheet.sessions.new_message import FinishedMessage, NewMessage

WORKER_DIED: Final = "worker_died"
"""The code of a run whose process ended before it did."""


@dataclass(frozen=True, slots=True)
class RunKeys:
    """Whose run it is, and the epoch of the lease under which it is written.

    `leads`: the session's status is that of this run; one that is stopped before its turn has come
    leaves it alone.
    """

    run_id: UUID
    session_id: UUID
    user_id: UUID
    epoch: int = 0
    leads: bool = True


@dataclass(slots=True)
class Changes:
    """Rows to write in one transaction, in the order in which their events came.

    `epochs`: all runs of the batch, each with the epoch of its lease.
    """

    epochs: dict[UUID, int] = field(default_factory=dict)
    sessions: set[UUID] = field(default_factory=set)
    started_runs: list[tuple[UUID, str]] = field(default_factory=list)
    new_messages: list[NewMessage] = field(default_factory=list)
    opened_calls: list[OpenedCall] = field(default_factory=list)
    settled_calls: list[SettledCall] = field(default_factory=list)
    finished_messages: list[FinishedMessage] = field(default_factory=list)
    ended_runs: list[RunEnd] = field(default_factory=list)
    freed_sessions: list[UUID] = field(default_factory=list)
    new_interrupts: list[NewInterrupt] = field(default_factory=list)
    statuses: list[tuple[UUID, str]] = field(default_factory=list)
    steered: list[tuple[UUID, UUID]] = field(default_factory=list)

    def without(self, call_ids: Container[str]) -> Changes:
        """The same, but that these calls are not opened."""
        kept = [call for call in self.opened_calls if call.id not in call_ids]
        return replace(self, opened_calls=kept)

    def ended_before(self) -> tuple[list[SettledCall], Changes]:
        """The ends of calls that an earlier batch opened, and the same without them."""
        opened = {call.id for call in self.opened_calls}
        ended = [call for call in self.settled_calls if call.id not in opened]
        kept = [call for call in self.settled_calls if call.id in opened]
        return ended, replace(self, settled_calls=kept)

    def take(self, keys: RunKeys, event: AnyRunEvent) -> None:
        """Add what `event` changes; most events change nothing here."""
        self.epochs[keys.run_id] = keys.epoch
        match event:
            case LlmCallStarted():
                self._call_started(keys, event)
            case LlmCallFinished(status="refused"):
                pass  # no row was opened for it
            case LlmCallFinished():
                self._call_finished(keys, event)
            case AnswerFinished():
                self._answer_finished(keys, event)
            case ToolResult():
                self._tool_result(keys, event)
            case Steered():
                self.sessions.add(keys.session_id)
                self.steered.append((UUID(event.run_id), UUID(event.message_id)))
            case RunStarted():
                self.started_runs.append((keys.run_id, event.revision))
                self._status(keys, "running")
            case RunFinished() | RunFailed() | RunCancelled() | RunPaused():
                self._ended(keys, event)
            case _:
                pass

    def _call_started(self, keys: RunKeys, event: LlmCallStarted) -> None:
        self.sessions.add(keys.session_id)
        if event.tool is not None:
            self._add(opened_by_tool(keys.run_id, keys.session_id, event))
        elif event.attempt == 1:
            self.new_messages.append(answer_message(keys.run_id, keys.session_id, event))
        self.opened_calls.append(
            OpenedCall(
                id=event.call_id,
                run_id=keys.run_id,
                session_id=keys.session_id,
                user_id=keys.user_id,
                message_id=event.message_id,
                purpose=event.purpose,
                stage=event.stage,
                agent=event.agent,
                attempt=event.attempt,
                factory=event.factory,
                model_code=event.model,
                price_id=event.price_id,
                price_currency=event.price_currency or event.currency,
                fx_rate=event.fx_rate,
                currency=event.currency,
                reserved_cost=event.reserved_cost,
                reserved_tokens=event.reserved_tokens,
                tool=event.tool,
                started_at=event.started_at,
                session_budget=event.session_budget,
            )
        )

    def _call_finished(self, keys: RunKeys, event: LlmCallFinished) -> None:
        self.sessions.add(keys.session_id)
        raw = event.metered.raw
        self.settled_calls.append(
            SettledCall(
                id=event.call_id,
                message_id=event.message_id,
                session_id=keys.session_id,
                status=event.status,
                metered=event.metered,
                raw_usage=None if raw is None else encode(raw).decode(),
                price_id=event.price_id,
                cost_native=event.cost_native,
                cost_exact=event.cost_exact,
                latency_ms=event.latency_ms,
                first_token_at=event.first_token_at,
                finish_reason=event.finish_reason,
                error_code=event.error_code,
                upstream_id=event.upstream_id,
                response_model=event.response_model,
            )
        )

    def _answer_finished(self, keys: RunKeys, event: AnswerFinished) -> None:
        self.sessions.add(keys.session_id)
        metadata: dict[str, Any] = {**event.metadata, "status": event.status}
        if event.reasoning:
            metadata["reasoning"] = event.reasoning
        if event.tool_calls:
            metadata["tool_calls"] = [
                {"id": c.tool_call_id, "name": c.name, "arguments": c.arguments}
                for c in event.tool_calls
            ]
        self.finished_messages.append(
            FinishedMessage(id=event.message_id, content=event.text, metadata=metadata)
        )

    def _tool_result(self, keys: RunKeys, event: ToolResult) -> None:
        self.sessions.add(keys.session_id)
        message = result_message(keys.run_id, keys.session_id, event)
        self._add(message)
        if event.is_booked:
            self.finished_messages.append(
                FinishedMessage(
                    id=message.id,
                    content=message.content,
                    metadata=message.metadata,
                    latency_ms=message.latency_ms,
                )
            )

    def _add(self, message: NewMessage) -> None:
        """A message that a tool's call of a model may have opened already."""
        if all(each.id != message.id for each in self.new_messages):
            self.new_messages.append(message)

    def _ended(
        self, keys: RunKeys, event: RunFinished | RunFailed | RunCancelled | RunPaused
    ) -> None:
        usage = encode(event.usage).decode()
        code: str | None = None
        message: str | None = None
        status: RunStatus = "succeeded"
        match event:
            case RunFailed():
                code, message = event.code, event.message
                status = "interrupted" if code == WORKER_DIED else "failed"
            case RunCancelled():
                status = "cancelled"
            case RunPaused(interrupts=asked):
                status = "waiting_input"
                self.new_interrupts += [
                    NewInterrupt(keys.run_id, keys.session_id, keys.user_id, place, interrupt)
                    for place, interrupt in enumerate(asked)
                ]
        self.ended_runs.append(RunEnd(keys.run_id, status, usage, code, message))
        if keys.leads:
            self.freed_sessions.append(keys.session_id)
        self._status(keys, status)

    def _status(self, keys: RunKeys, status: RunStatus) -> None:
        self.sessions.add(keys.session_id)
        if keys.leads:
            self.statuses.append((keys.session_id, SESSION_STATUS[status]))
