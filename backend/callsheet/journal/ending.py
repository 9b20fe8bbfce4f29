"""The events that end what a process left open when it went away; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from callsheet.events.call import (
    AnswerFinished,
    LlmCallFinished,
    LlmCallStarted,
    MessageStatus,
)
from callsheet.events.entry import Entry
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunCancelled, RunFailed, RunStarted
from callsheet.events.stage import EndStatus
from callsheet.events.tally import Tally
from callsheet.events.tool import ToolCallStarted, ToolResult
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import ModelUsage
from callsheet.journal.streamed import Streamed, streamed_answers
from callsheet.kit.ids import new_id
from callsheet.runs.run import RunRecord

Ends = Mapping[str, LlmCallFinished]
"""How each call that was left open ended, by its id."""

_NEVER_ASKED: Final = "It was never asked for in full: the answer that asked for it was cut off."


def ending(
    run: RunRecord, entries: Sequence[Entry], last: RunFailed | RunCancelled, ends: Ends
) -> list[AnyRunEvent]:
    """All that is missing of a run that ends with `last`, its begin too where it never began."""
    events: list[AnyRunEvent] = [entry.event for entry in entries]
    if not events:
        events = [_begin(run)]
    status: EndStatus = "failed" if isinstance(last, RunFailed) else "cancelled"
    closed = _closed(events, ends, status, "partial")
    return [
        *([] if entries else events),
        *closed,
        msgspec.structs.replace(last, usage=_used([*events, *closed])),
    ]


def closing(entries: Sequence[Entry], ends: Ends) -> list[AnyRunEvent]:
    """What closes all that is open in a run that goes on, so that it can begin there anew.

    Answers that were cut are discarded, since they will be asked for once more; tool calls that
    they had begun to ask for are answered, so that no client waits for them.
    """
    events = [entry.event for entry in entries]
    closed = _closed(events, ends, "cancelled", "discarded")
    return [*closed, *_unanswered(events)]


def left_open(events: Sequence[AnyRunEvent]) -> list[LlmCallStarted]:
    """Calls that were begun and never ended, in order."""
    begun = {e.call_id: e for e in events if isinstance(e, LlmCallStarted)}
    for event in events:
        if isinstance(event, LlmCallFinished):
            begun.pop(event.call_id, None)
    return list(begun.values())


def _begin(run: RunRecord) -> RunStarted:
    return RunStarted(
        workflow=run.workflow,
        revision=run.revision or "",
        session_id=str(run.session_id),
        trace_id=run.trace_id or "",
    )


def _closed(
    events: Sequence[AnyRunEvent], ends: Ends, status: EndStatus, answers: MessageStatus
) -> list[AnyRunEvent]:
    order = OrderChecker()
    order.replay(events)
    streamed = streamed_answers(events)
    cut = _unfinished(events)
    return [
        *(ends[call.call_id] for call in left_open(events)),
        *order.closers(status),
        *(_cut(call.message_id, streamed[call.message_id], answers) for call in cut),
    ]


def _unfinished(events: Sequence[AnyRunEvent]) -> list[LlmCallStarted]:
    """The first call of each message that was begun and never finished, in order.

    Messages of tools' results among them, where the tool had asked a model and was cut off.
    """
    begun: dict[str, LlmCallStarted] = {}
    for event in events:
        if isinstance(event, LlmCallStarted):
            begun.setdefault(event.message_id, event)
        elif isinstance(event, (AnswerFinished, ToolResult)):
            begun.pop(event.message_id, None)
    return list(begun.values())


def _cut(message_id: str, answer: Streamed, status: MessageStatus) -> AnswerFinished:
    """A discarded answer is nobody's any more: no list of messages shows it as an answer."""
    return AnswerFinished(
        message_id=message_id,
        status=status,
        text=answer.text,
        reasoning=answer.reasoning,
        metadata={"visible": False} if status == "discarded" else {},
    )


def _unanswered(events: Sequence[AnyRunEvent]) -> list[ToolResult]:
    asking = {call.message_id: call for call in _unfinished(events)}
    return [
        ToolResult(
            tool_call_id=event.tool_call_id,
            message_id=str(new_id()),
            tool=event.tool,
            agent_run_id=event.agent_run_id,
            stage=asking[event.message_id].stage,
            agent=asking[event.message_id].agent,
            content=_NEVER_ASKED,
            status="cancelled",
            args_digest="",
            latency_ms=0,
            visible=event.visible,
        )
        for event in events
        if isinstance(event, ToolCallStarted) and event.message_id in asking
    ]


def _used(events: Sequence[AnyRunEvent]) -> tuple[ModelUsage, ...]:
    """What the run used, by model."""
    tally = Tally()
    tally.add_all(events)
    return tally.usage()
