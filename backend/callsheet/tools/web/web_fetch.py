"""The tool that reads a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from pydantic import BaseModel, Field

from callsheet.kit.errors import ToolRetry
from callsheet.tools.context import ToolContext
from callsheet.tools.source import Source
from callsheet.tools.sourced import Sourced, sourced
from callsheet.tools.web.citing import CITING
from callsheet.tools.web.content import must_be_text
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.page import Page
from callsheet.tools.web.reading import PageReader

PAGE_CHARS: Final = 24_000
_SNIPPET_CHARS: Final = 200
_HEADERS: Final = {
    "User-Agent": "Mozilla/5.0 (compatible; Callsheet web_fetch)",
    "Accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
}


class WebFetchArgs(BaseModel):
    """Which page."""

    url: str = Field(
        min_length=1, max_length=4096, description="Whole address, with http:// or https://."
    )
    start: int = Field(
        default=0,
        ge=0,
        description="Character to begin at, to read on where a long page was cut. Default: 0.",
    )


class WebFetch:
    """Gets one page of the public web as Markdown."""

    name: ClassVar[str] = "web_fetch"
    description: ClassVar[str] = (
        "Read one page of the public web: HTML as Markdown, plain text, JSON and XML as they are."
    )
    group: ClassVar[str] = "web"
    label: ClassVar[Mapping[str, str]] = {"en": "Read a page", "zh": "阅读网页"}
    summary: ClassVar[str] = "Reads a page of the public web as Markdown."
    instructions: ClassVar[str] = CITING
    idempotent: ClassVar[bool] = True
    Args: type[BaseModel] = WebFetchArgs

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._reader = PageReader()

    async def run(self, args: WebFetchArgs, ctx: ToolContext) -> Sourced:
        """The page, or as much of it as fits, from `start` on."""
        found = await self._fetcher.fetch(args.url, _HEADERS, ctx.deadline, must_be_text)
        page = await self._reader.read(found)
        if args.start and args.start >= len(page.text):
            raise ToolRetry(f"The page has {len(page.text)} characters; begin before that.")
        snippet = " ".join(page.text[: 2 * _SNIPPET_CHARS].split())[:_SNIPPET_CHARS]
        source = Source(found.url, page.title, snippet, page.published)
        return sourced(_shown(page, args.start), [source])


def _shown(page: Page, start: int) -> str:
    end = start + PAGE_CHARS
    notes = []
    if len(page.text) > end:
        notes.append(
            f"[characters {start} to {end} of {len(page.text)}; the next ones with start={end}]"
        )
    elif page.is_cut:
        notes.append("[the page is longer than what is read of one]")
    text = page.text[start:end] or "[the page has no text]"
    return "\n\n".join([text, *notes])
