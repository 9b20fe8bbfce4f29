"""Where an answer's facts come from."""

from __future__ import annotations

from callsheet.events.base import RunEvent


class SourceFound(RunEvent, frozen=True, kw_only=True, tag="source_found"):
    """A tool found a source that the turn did not have yet; `number` counts them from 1.

    A turn that goes on in another run goes on counting. `published` is what the source says of it.
    """

    tool_call_id: str
    number: int
    url: str
    title: str
    snippet: str = ""
    published: str | None = None
