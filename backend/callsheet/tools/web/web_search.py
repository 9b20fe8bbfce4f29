"""The tool that searches the web."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from typing import Any, ClassVar, Final

from pydantic import BaseModel, Field

from callsheet.kit.errors import ToolFailed
from callsheet.tools.context import ToolContext
from callsheet.tools.source import Source, page_key
from callsheet.tools.web.citing import CITING
from callsheet.tools.web.engine import SearchEngine

MOST_RESULTS: Final = 10


class WebSearchArgs(BaseModel):
    """What to look for."""

    query: str = Field(min_length=1, max_length=400, description="What to search for.")
    count: int = Field(
        default=5, ge=1, le=MOST_RESULTS, description="Most results to give. Default: 5."
    )


class WebSearch:
    """Searches the web; each result is a numbered source and shown as it arrives."""

    name: ClassVar[str] = "web_search"
    description: ClassVar[str] = (
        "Search the web. Gives titles, addresses and short extracts; read a page to know more."
    )
    group: ClassVar[str] = "web"
    label: ClassVar[Mapping[str, str]] = {"en": "Search the web", "zh": "搜索网络"}
    instructions: ClassVar[str] = CITING
    idempotent: ClassVar[bool] = True
    Args: type[BaseModel] = WebSearchArgs

    def __init__(self, engine: SearchEngine) -> None:
        self._engine = engine
        self.summary = f"Searches the web: {engine.summary}."

    async def run(self, args: WebSearchArgs, ctx: ToolContext) -> dict[str, Any]:
        """The results by number; what came before an engine broke off is kept."""
        found: dict[str, dict[str, Any]] = {}
        results = self._engine.search(args.query.strip(), args.count, ctx.deadline)
        note = None
        try:
            async with aclosing(results):
                async for source in results:
                    found.setdefault(page_key(source.url), _told(source, ctx))
                    if len(found) >= args.count:
                        break
        except ToolFailed:
            if not found:
                raise
            note = "The search broke off; there may be more."
        if not found:
            note = "Nothing was found."
        said: dict[str, Any] = {"results": list(found.values())}
        return said if note is None else {**said, "note": note}


def _told(source: Source, ctx: ToolContext) -> dict[str, Any]:
    """Shown at once; the number is the one to cite by."""
    fields: dict[str, Any] = {"number": ctx.tell.source(source)}
    fields |= {"title": source.title, "url": source.url, "snippet": source.snippet}
    return fields if source.published is None else {**fields, "published": source.published}
