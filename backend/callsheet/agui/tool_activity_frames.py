"""What tools let people see while they work: ACTIVITY, whole or growing."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from callsheet.agui.frame import FrameWriter, Writers
from callsheet.events.activity import ActivityShown
from callsheet.events.output import ToolOutput
from callsheet.events.source import SourceFound
from callsheet.kit.ids import part_id

OUTPUT: Final = "callsheet.output"
SOURCES: Final = "callsheet.sources"


class ToolActivityFrames:
    """One activity for the output of each call, one for the sources of the run.

    Both grow by JSON Patch, so that a long list is not sent again with each entry.
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
            SourceFound: self._source,
        }

    def _shown(self, event: ActivityShown) -> None:
        self._snapshot(event.activity, event.message_id, event.content)

    def _output(self, event: ToolOutput) -> None:
        id_ = str(part_id(self._run_id, f"{OUTPUT}-{event.tool_call_id}"))
        if id_ not in self._begun:
            self._snapshot(OUTPUT, id_, {"toolCallId": event.tool_call_id, "chunks": []})
        self._add(OUTPUT, id_, "/chunks/-", {"stream": event.stream, "text": event.text})

    def _source(self, event: SourceFound) -> None:
        id_ = str(part_id(self._run_id, SOURCES))
        if id_ not in self._begun:
            self._snapshot(SOURCES, id_, {"sources": []})
        self._add(SOURCES, id_, "/sources/-", source_fields(event))

    def _snapshot(self, activity: str, message_id: str, content: dict[str, Any]) -> None:
        self._begun.add(message_id)
        self._out.put(
            {
                "type": "ACTIVITY_SNAPSHOT",
                "messageId": message_id,
                "activityType": activity,
                "content": content,
                "replace": True,
            }
        )

    def _add(self, activity: str, message_id: str, path: str, value: dict[str, Any]) -> None:
        self._out.put(
            {
                "type": "ACTIVITY_DELTA",
                "messageId": message_id,
                "activityType": activity,
                "patch": [{"op": "add", "path": path, "value": value}],
            }
        )


def source_fields(event: SourceFound) -> dict[str, Any]:
    """A source as clients see it."""
    fields = {
        "number": event.number,
        "url": event.url,
        "title": event.title,
        "toolCallId": event.tool_call_id,
    }
    if event.snippet:
        fields["snippet"] = event.snippet
    if event.published is not None:
        fields["published"] = event.published
    return fields
