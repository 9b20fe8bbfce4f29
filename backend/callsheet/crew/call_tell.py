"""What one tool call lets people see, as events of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal
from uuid import UUID

from callsheet.events.activity import ActivityShown
from callsheet.events.output import ToolOutput
from callsheet.events.source import SourceFound
from callsheet.kit.json import decode, encode
from callsheet.kit.text import clean
from callsheet.tools.source import Source, page_key
from callsheet.turn.ports import Emit
from callsheet.turn.record import Record

_TITLE_CHARS: Final = 300
_SNIPPET_CHARS: Final = 1_000
_PUBLISHED_CHARS: Final = 100


class CallTell:
    """Implements `tools.tell.Tell` until the call has ended.

    The sources of all calls of the turn are numbered together, in `record`.
    """

    def __init__(self, tool_call_id: str, emit: Emit, record: Record) -> None:
        self._tool_call_id = tool_call_id
        self._emit = emit
        self._record = record
        self._closed = False

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        """Emit it as strict JSON data: what clients get does not depend on the tool's types."""
        if not self._closed:
            self._emit(
                ActivityShown(
                    tool_call_id=self._tool_call_id,
                    activity=activity,
                    message_id=str(message_id),
                    content=decode(encode(dict(content))),
                )
            )

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """Emit it."""
        if text and not self._closed:
            said = ToolOutput(tool_call_id=self._tool_call_id, stream=stream, text=clean(text))
            self._emit(said)

    def source(self, source: Source) -> int:
        """Emit it where the turn does not have it yet."""
        url = clean(source.url)
        page = page_key(url)
        for known in self._record.sources:
            if page_key(known.url) == page:
                return known.number
        found = SourceFound(
            tool_call_id=self._tool_call_id,
            number=len(self._record.sources) + 1,
            url=url,
            title=clean(source.title)[:_TITLE_CHARS],
            snippet=clean(source.snippet)[:_SNIPPET_CHARS],
            published=None
            if source.published is None
            else clean(source.published)[:_PUBLISHED_CHARS],
        )
        if not self._closed:
            self._record.sources.append(found)
            self._emit(found)
        return found.number

    def close(self) -> None:
        """From now on nothing is heard."""
        self._closed = True
