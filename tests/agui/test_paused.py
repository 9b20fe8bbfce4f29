"""A run that waits, as clients of both generations are told."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.agui.run_input import Protocol
from callsheet.events.interrupt import Interrupt
from callsheet.events.run import RunPaused
from tests.agui.calls import STARTED
from tests.agui.encoded import encoded
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import numbered, started

QUESTION = Interrupt(
    interrupt_id="i1",
    reason="question",
    message="Which colour?",
    expires_at=STARTED,
    tool_call_id="c1",
    tool="ask_user",
    response_schema={"type": "object"},
    detail={"questions": [{"question": "Which colour?"}]},
)
CLIENT = Interrupt(
    interrupt_id="i2", reason="client_tool", message="m", expires_at=STARTED, tool_call_id="c2"
)


def last(protocol: Protocol, *asked: Interrupt) -> dict[str, Any]:
    entries = numbered([started(), RunPaused(interrupts=asked)])
    _, event = read_frames(encoded(entries, protocol))[-1]
    check_event(event)
    return event


@pytest.mark.parametrize("protocol", ["1.0", "0.x"])
def test_a_question_ends_the_run_with_an_interrupt(protocol: Protocol) -> None:
    event = last(protocol, QUESTION, CLIENT)
    assert event["type"] == "RUN_FINISHED"
    assert event["metadata"]["callsheet"]["status"] == "waiting_input"
    assert event["outcome"] == {
        "type": "interrupt",
        "interrupts": [
            {
                "id": "i1",
                "reason": "question",
                "message": "Which colour?",
                "toolCallId": "c1",
                "responseSchema": {"type": "object"},
                "expiresAt": STARTED.isoformat(),
                "metadata": {
                    "callsheet": {
                        "tool": "ask_user",
                        "questions": [{"question": "Which colour?"}],
                    }
                },
            }
        ],
    }


def test_tools_of_the_client_end_it_with_success() -> None:
    outcome = {"type": "success", "pendingToolCallIds": ["c2"]}
    assert last("1.0", CLIENT)["outcome"] == outcome


def test_an_old_client_is_not_sent_what_it_cannot_read() -> None:
    assert "outcome" not in last("0.x", CLIENT)
