"""What tools let people see while they work: ACTIVITY, whole or growing."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from callsheet.agui.activity import activity_entry, activity_snapshot
from callsheet.agui.frame import FrameWriter, Writers
from callsheet.events.activity import ActivityShown
from callsheet.events.output import ToolOutput
from callsheet.kit.ids import part_id

OUTPUT: Final = "callsheet.output"


class ToolActivityFrames:
    """One activity for the output of each call, and what tools show as a whole.

    Output grows by JSON Patch, so that a long one is not sent again with each piece.
    """

    def __init__(self, out: FrameWriter, run_id: UUID) -> None:
        self._out = out
        self._run_id = run_id
        self._begun: set[str] = set()

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {
            ActivityShown: self._shown,
            ToolOutput: self._output,
        }

    def _shown(self, event: ActivityShown) -> None:
        self._snapshot(event.activity, event.message_id, event.content)

    def _output(self, event: ToolOutput) -> None:
        id_ = str(part_id(self._run_id, f"{OUTPUT}-{event.tool_call_id}"))
        if id_ not in self._begun:
            self._snapshot(OUTPUT, id_, {"toolCallId": event.tool_call_id, "chunks": []})
        self._add(OUTPUT, id_, "/chunks/-", {"stream": event.stream, "text": event.text})

    def _snapshot(self, activity: str, message_id: str, content: dict[str, Any]) -> None:
        self._begun.add(message_id)
        self._out.put(activity_snapshot(message_id, activity, content))

    def _add(self, activity: str, message_id: str, path: str, value: dict[str, Any]) -> None:
        self._out.put(activity_entry(message_id, activity, path, value))
