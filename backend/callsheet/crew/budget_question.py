"""Asks a person whether a spent budget may be extended, where the workflow lets it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from callsheet.events.interrupt import Interrupt
from callsheet.kit.errors import QuotaSpent
from callsheet.kit.ids import new_id
from callsheet.turn.ports import StageWork

_EXTENDABLE: Final = frozenset({"run", "session"})
_ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["extend"],
    "additionalProperties": False,
    "properties": {"extend": {"type": "boolean"}},
}


def budget_question(spent: QuotaSpent, work: StageWork, now: datetime) -> Interrupt | None:
    """What the user is asked; None where it is not theirs to extend, or they have said no."""
    if work.workflow.on_spent_budget != "ask" or work.record.is_budget_final:
        return None
    if spent.extra.get("scope") not in _EXTENDABLE:
        return None
    return Interrupt(
        interrupt_id=str(new_id()),
        reason="budget",
        message=f"{spent} May it be granted once more?",
        expires_at=now + timedelta(seconds=work.workflow.answer_within_s),
        response_schema=_ANSWER,
        detail=dict(spent.extra),
    )
