"""Text and reasoning on the wire: TEXT_MESSAGE and REASONING."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from callsheet.agui.frame import FrameWriter, Writers
from callsheet.agui.lane import Lane, open_lane, owned_by
from callsheet.agui.show import ShowOptions
from callsheet.agui.usage import bill_fields
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.kit.ids import part_id


class MessageFrames:
    """What is said. Only visible text is an assistant's message; the rest shows as reasoning."""

    def __init__(self, out: FrameWriter, show: ShowOptions) -> None:
        self._out = out
        self._show = show
        self._text: dict[str, Lane] = {}
        self._reasoning: dict[str, Lane] = {}

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {
            TextStarted: self._text_started,
            TextDelta: self._text_delta,
            TextEnded: self._text_ended,
            ReasoningStarted: self._reasoning_started,
            ReasoningDelta: self._reasoning_delta,
            ReasoningEnded: self._reasoning_ended,
        }

    def _text_started(self, event: TextStarted) -> None:
        if not event.visible:
            owner = owned_by(event.agent_run_id, visible=False)
            self._text[event.message_id] = self._think(event.message_id, "text", owner)
            return
        lane = open_lane("TEXT_MESSAGE_CONTENT", "messageId", event.message_id, {})
        self._text[event.message_id] = lane
        self._out.put(
            {"type": "TEXT_MESSAGE_START", "messageId": lane.wire_id, "role": "assistant"}
        )

    def _text_delta(self, event: TextDelta) -> None:
        self._out.put_delta(self._text[event.message_id].opening, event.text)

    def _text_ended(self, event: TextEnded) -> None:
        lane = self._text[event.message_id]
        bill = bill_fields(event.bill, self._show)
        if lane.reasoning:
            self._stop_thinking(lane, bill)
        else:
            self._out.put({"type": "TEXT_MESSAGE_END", "messageId": lane.wire_id}, bill)

    def _reasoning_started(self, event: ReasoningStarted) -> None:
        owner = owned_by(event.agent_run_id, visible=event.visible)
        self._reasoning[event.message_id] = self._think(event.message_id, "reasoning", owner)

    def _reasoning_delta(self, event: ReasoningDelta) -> None:
        self._out.put_delta(self._reasoning[event.message_id].opening, event.text)

    def _reasoning_ended(self, event: ReasoningEnded) -> None:
        self._stop_thinking(self._reasoning[event.message_id], bill_fields(event.bill, self._show))

    def _think(self, message_id: str, part: str, owner: dict[str, str]) -> Lane:
        """Open a reasoning span with its one message; both have the id of that part."""
        lane = open_lane(
            "REASONING_MESSAGE_CONTENT",
            "messageId",
            str(part_id(UUID(message_id), part)),
            owner,
        )
        named = {"messageId": lane.wire_id, **lane.owner}
        self._out.put({"type": "REASONING_START", **named})
        self._out.put({"type": "REASONING_MESSAGE_START", "role": "reasoning", **named})
        return lane

    def _stop_thinking(self, lane: Lane, bill: dict[str, Any] | None) -> None:
        named = {"messageId": lane.wire_id, **lane.owner}
        self._out.put({"type": "REASONING_MESSAGE_END", **named}, bill)
        self._out.put({"type": "REASONING_END", **named})
