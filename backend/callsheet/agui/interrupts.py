"""What a run waits for, in AG-UI's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from callsheet.agui.run_input import Protocol
from callsheet.events.interrupt import Interrupt


def outcome_of(interrupts: Sequence[Interrupt], protocol: Protocol) -> dict[str, Any]:
    """The `outcome` of a run that waits.

    Calls of the client's own tools are no interrupts: for these alone the run ends with success,
    and a 1.x client is told which they are. An older one, which cannot read that, finds them as
    the calls without a result.
    """
    asked = [_interrupt(each) for each in interrupts if each.reason != "client_tool"]
    if asked:
        return {"outcome": {"type": "interrupt", "interrupts": asked}}
    if protocol == "0.x":
        return {}
    pending = [each.tool_call_id for each in interrupts]
    return {"outcome": {"type": "success", "pendingToolCallIds": pending}}


def _interrupt(interrupt: Interrupt) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": interrupt.interrupt_id,
        "reason": interrupt.reason,
        "message": interrupt.message,
        "expiresAt": interrupt.expires_at.isoformat(),
    }
    if interrupt.tool_call_id is not None:
        shown["toolCallId"] = interrupt.tool_call_id
    if interrupt.response_schema is not None:
        shown["responseSchema"] = interrupt.response_schema
    own = {**interrupt.detail}
    if interrupt.tool is not None:
        own["tool"] = interrupt.tool
    if own:
        shown["metadata"] = {"callsheet": own}
    return shown
