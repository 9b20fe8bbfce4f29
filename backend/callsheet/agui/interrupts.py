"""What a run waits for, in AG-UI's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callsheet.agui.run_input import Protocol
from callsheet.agui.show import ShowOptions
from callsheet.events.interrupt import Interrupt


def outcome_of(
    interrupts: Sequence[Interrupt], protocol: Protocol, show: ShowOptions
) -> dict[str, Any]:
    """The `outcome` of a run that waits.

    Calls of the client's own tools are no interrupts: for these alone the run ends with success,
    and a 1.x client is told which they are. An older one, which cannot read that, finds them as
    the calls without a result.
    """
    asked = [_interrupt(each, show) for each in interrupts if each.reason != "client_tool"]
    if asked:
        return {"outcome": {"type": "interrupt", "interrupts": asked}}
    if protocol == "0.x":
        return {}
    pending = [each.tool_call_id for each in interrupts]
    return {"outcome": {"type": "success", "pendingToolCallIds": pending}}


def told(
    reason: str, message: str, detail: Mapping[str, Any], show: ShowOptions
) -> tuple[str, dict[str, Any]]:
    """Message and detail as a client may read them: amounts only where costs are shown."""
    if reason != "budget" or show.costs:
        return message, dict(detail)
    kept = {name: detail[name] for name in ("scope", "measure") if name in detail}
    return "The budget is spent. May it be granted once more?", kept


def _interrupt(interrupt: Interrupt, show: ShowOptions) -> dict[str, Any]:
    message, own = told(interrupt.reason, interrupt.message, interrupt.detail, show)
    shown: dict[str, Any] = {
        "id": interrupt.interrupt_id,
        "reason": interrupt.reason,
        "message": message,
        "expiresAt": interrupt.expires_at.isoformat(),
    }
    if interrupt.tool_call_id is not None:
        shown["toolCallId"] = interrupt.tool_call_id
    if interrupt.response_schema is not None:
        shown["responseSchema"] = interrupt.response_schema
    if interrupt.tool is not None:
        own["tool"] = interrupt.tool
    if own:
        shown["metadata"] = {"callsheet": own}
    return shown
