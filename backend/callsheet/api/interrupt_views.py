"""Interrupts as the documents that callers see."""

from __future__ import annotations

from callsheet.agui.interrupts import told
from callsheet.agui.show import ShowOptions
from callsheet.api.documents import AskedInterrupt, Interrupt, InterruptAnswer, InterruptPage
from callsheet.events import interrupt as events
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.kit.pages import Page


def asked_view(asked: events.Interrupt, show: ShowOptions) -> AskedInterrupt:
    """One as the journal has it, at the end of the run that waits."""
    message, detail = told(asked.reason, asked.message, asked.detail, show)
    return AskedInterrupt(
        id=asked.interrupt_id,
        reason=asked.reason,
        message=message,
        tool_call_id=asked.tool_call_id,
        tool=asked.tool,
        response_schema=asked.response_schema,
        detail=detail,
        expires_at=asked.expires_at,
    )


def interrupt_view(record: InterruptRecord, show: ShowOptions) -> Interrupt:
    """One with what became of it."""
    message, detail = told(record.reason, record.message, record.detail, show)
    schema = record.response_schema
    return Interrupt(
        id=str(record.id),
        run_id=record.run_id,
        session_id=record.session_id,
        reason=record.reason,
        message=message,
        tool_call_id=record.tool_call_id,
        tool=record.tool,
        response_schema=None if schema is None else dict(schema),
        detail=detail,
        status=record.status,
        created_at=record.created_at,
        expires_at=record.expires_at,
        answer=_answer(record),
    )


def interrupt_page(page: Page[InterruptRecord], show: ShowOptions) -> InterruptPage:
    """A page of interrupts."""
    items = [interrupt_view(record, show) for record in page.items]
    return InterruptPage(items=items, next_cursor=page.next_cursor)


def _answer(record: InterruptRecord) -> InterruptAnswer | None:
    at, run_id, status = record.answered_at, record.answered_run_id, record.answer_status
    if at is None or run_id is None or status is None:
        return None
    return InterruptAnswer(
        status=status,
        payload=record.payload,
        answered_at=at,
        answered_by=record.answered_by,
        run_id=run_id,
    )
