"""A request that is about to leave, as the tests of the journal send it."""

from __future__ import annotations

from callsheet.turn.meter import CallIntent


def intent_for(message_id: str, estimated_input_tokens: int = 50) -> CallIntent:
    """The first attempt of that answer."""
    return CallIntent(
        message_id=message_id,
        agent_run_id="a",
        stage="execution",
        agent="worker",
        task="work",
        factory="f",
        model="m",
        attempt=1,
        visible=True,
        estimated_input_tokens=estimated_input_tokens,
        max_output_tokens=100,
    )
