"""Turning fetched bodies into pages, beside the event loop and a few at a time."""

from __future__ import annotations

from functools import partial
from typing import Final

from callsheet.kit.text import clean
from callsheet.kit.threads import Threads
from callsheet.tools.web.content import kind_of, text_of
from callsheet.tools.web.fetched import Fetched
from callsheet.tools.web.markdown import read_html
from callsheet.tools.web.page import Page

_AT_ONCE: Final = 2
"""More would only share the one interpreter, and take it from the event loop."""


class PageReader:
    """Reads pages in threads of its own, so that nobody else waits for one of them."""

    def __init__(self) -> None:
        self._threads = Threads("web-page", limit=_AT_ONCE)

    async def read(self, found: Fetched) -> Page:
        """The page that came.

        Raises:
            ToolFailed: it is not text.
        """
        return await self._threads.run(partial(_read, found))


def _read(found: Fetched) -> Page:
    kind = kind_of(found)
    text = clean(text_of(found))
    if kind == "text":
        return Page("", text.strip(), None, found.is_cut)
    page = read_html(text, found.url)
    return Page(page.title, page.text, page.published, page.is_cut or found.is_cut)
