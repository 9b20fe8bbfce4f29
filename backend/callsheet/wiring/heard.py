"""What people said, as a run's journal has it."""

from __future__ import annotations

from callsheet.events.interrupt import InterruptAnswered
from callsheet.interrupts.interrupt import InterruptRecord


def heard(record: InterruptRecord) -> InterruptAnswered:
    """The event of an interrupt that was answered."""
    return InterruptAnswered(
        interrupt_id=str(record.id),
        reason=record.reason,
        status=record.answer_status or "cancelled",
        tool_call_id=record.tool_call_id,
        payload=record.payload,
    )
