"""Where an answer's facts come from: ACTIVITY, growing as sources are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from callsheet.agui.activity import activity_entry, activity_snapshot
from callsheet.agui.frame import FrameWriter, Writers
from callsheet.events.call import AnswerFinished
from callsheet.events.source import SourceFound
from callsheet.kit.ids import part_id

SOURCES: Final = "callsheet.sources"


class SourceFrames:
    """One activity for the sources of the turn, as far as this run knows them.

    It grows by JSON Patch. An answer that rests on sources of an earlier run of its turn has them
    all in a snapshot: who sees this run alone can follow every number in it.
    """

    def __init__(self, out: FrameWriter, run_id: UUID) -> None:
        self._out = out
        self._message_id = str(part_id(run_id, SOURCES))
        self._shown: set[int] = set()

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {SourceFound: self._found, AnswerFinished: self._answered}

    def _found(self, event: SourceFound) -> None:
        if not self._shown:
            self._snapshot([])
        self._shown.add(event.number)
        value = source_fields(
            {
                "number": event.number,
                "url": event.url,
                "title": event.title,
                "tool_call_id": event.tool_call_id,
                "snippet": event.snippet,
                "published": event.published,
            }
        )
        self._out.put(activity_entry(self._message_id, SOURCES, "/sources/-", value))

    def _answered(self, event: AnswerFinished) -> None:
        sources = event.metadata.get("sources", ())
        numbers = {source["number"] for source in sources}
        if numbers - self._shown:
            self._shown |= numbers
            self._snapshot([source_fields(source) for source in sources])

    def _snapshot(self, sources: list[dict[str, Any]]) -> None:
        self._out.put(activity_snapshot(self._message_id, SOURCES, {"sources": sources}))


def source_fields(kept: Mapping[str, Any]) -> dict[str, Any]:
    """A source, given as its message keeps it, as clients see it."""
    fields = {name: kept[name] for name in ("number", "url", "title")}
    fields["toolCallId"] = kept["tool_call_id"]
    return fields | {name: kept[name] for name in ("snippet", "published") if kept.get(name)}


def grounds_fields(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer rests on, out of its message's metadata, as clients see it."""
    if metadata.get("model_only"):
        return {"modelOnly": True}
    sources = metadata.get("sources")
    return {"sources": [source_fields(source) for source in sources]} if sources else {}
