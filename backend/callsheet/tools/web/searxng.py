"""Search through a SearXNG of one's own, by its JSON API."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Final
from urllib.parse import urlencode

import structlog

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import SetupError, ToolFailed, ToolRetry
from callsheet.kit.json import decode
from callsheet.tools.source import Source
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import AllowList
from callsheet.tools.web.hit import hit
from callsheet.tools.web.options import FetchOptions, SearchOptions
from callsheet.tools.web.resolver import Resolver
from callsheet.tools.web.target import read_target

_log = structlog.get_logger(__name__)
_HEADERS: Final = {"Accept": "application/json", "User-Agent": "Callsheet web_search"}
_JSON: Final = "application/json"


class SearxngEngine:
    """Asks the one service that the operator names; it is trusted, whatever its address is.

    No redirect is followed: a service that moved is a thing for the operator to know.
    """

    summary: Final = "a SearXNG of this deployment"

    def __init__(self, url: str, resolver: Resolver, options: SearchOptions) -> None:
        """`url` is where the service stands, with its path where it has one.

        Raises:
            SetupError: it is no address.
        """
        try:
            target = read_target(url)
        except ToolRetry as error:
            raise SetupError(f"{url!r} is no address of a SearXNG. {error}") from error
        self._url = target.url.partition("?")[0].rstrip("/") + "/search"
        self._options = options
        self._fetcher = Fetcher(
            resolver,
            AllowList(frozenset({(target.host, target.port)})),
            FetchOptions(timeout_s=options.timeout_s, max_redirects=0, max_bytes=options.max_bytes),
        )

    async def search(
        self, query: str, count: int, deadline: Deadline
    ) -> AsyncGenerator[Source, None]:
        """See `SearchEngine.search`."""
        asked = urlencode({"q": query, "format": "json"})
        try:
            found = await self._fetcher.fetch(
                f"{self._url}?{asked}", _HEADERS, deadline, _must_be_json
            )
            results = _results(found.body)
        except (ToolFailed, ToolRetry, ValueError) as error:
            _log.warning("search_failed", engine="searxng", error=str(error)[:500])
            raise ToolFailed("The search service could not be asked.") from error
        for each in results[:count]:
            source = hit(
                each.get("url"),
                each.get("title"),
                each.get("content"),
                each.get("publishedDate"),
                self._options,
            )
            if source is not None:
                yield source


def _must_be_json(media_type: str, length: int | None) -> None:
    """SearXNG answers with a page where its settings do not list the format json."""
    del length
    if media_type != _JSON:
        raise ToolFailed(f"It answered with {media_type!r} and not with JSON.")


def _results(body: bytes) -> list[dict[str, Any]]:
    answer = decode(body)
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise ToolFailed("It answered with JSON that is none of SearXNG's.")
    return [each for each in results if isinstance(each, dict)]
