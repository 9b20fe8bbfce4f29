"""Search through the library `ddgs`, which asks public engines and needs no key.

Never tried against the live engines: no network was there. What is tested is the library itself,
with its HTTP edge replaced.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import structlog

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed
from callsheet.kit.threads import Threads
from callsheet.tools.source import Source
from callsheet.tools.web.hit import hit
from callsheet.tools.web.options import SearchOptions

_log = structlog.get_logger(__name__)
_AT_ONCE: Final = 4
_EACH_S: Final = 5
"""Seconds for one of the engines that the library asks; it gives up by itself after some."""
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
_NOTHING: Final = "No results found."


class DdgsEngine:
    """Searches in threads of its own, since the library blocks."""

    summary: Final = "public engines, through the library ddgs (unverified: never tried live)"

    def __init__(self, options: SearchOptions) -> None:
        self._options = options
        self._threads = Threads("web-search", limit=_AT_ONCE)

    async def search(
        self, query: str, count: int, deadline: Deadline
    ) -> AsyncGenerator[Source, None]:
        """See `SearchEngine.search`. The library gives all results of a search together."""
        timeout = deadline.within(self._options.timeout_s).timeout()
        try:
            async with timeout:
                found = await self._threads.run(partial(_ask, query, count))
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise ToolFailed("The search engines did not answer in time.") from error
        for each in found:
            source = hit(each.get("href"), each.get("title"), each.get("body"), None, self._options)
            if source is not None:
                yield source


def _ask(query: str, count: int) -> Sequence[Mapping[str, Any]]:
    from ddgs import DDGS  # noqa: PLC0415 - heavy, and only where somebody searches
    from ddgs.exceptions import DDGSException, TimeoutException  # noqa: PLC0415 - as above

    try:
        return DDGS(timeout=_EACH_S).text(query, region=_region(query), max_results=count)
    except TimeoutException as error:
        raise ToolFailed("The search engines did not answer in time.") from error
    except DDGSException as error:
        if str(error) == _NOTHING:
            return ()
        what = str(error).partition("(")[0][:200]  # behind it stands what was searched for
        _log.warning("search_failed", engine="ddgs", error=what)
        raise ToolFailed("The search engines could not be asked.") from error


def _region(query: str) -> str:
    """Where, and in which language, engines look: they do not tell it by the words."""
    return "cn-zh" if _CHINESE.search(query) else "us-en"
