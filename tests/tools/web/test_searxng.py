"""Searching through a SearXNG of one's own."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import SetupError, ToolFailed
from callsheet.tools.source import Source
from callsheet.tools.web.options import SearchOptions
from callsheet.tools.web.resolver import SystemResolver
from callsheet.tools.web.searxng import SearxngEngine
from tests.fakes.searxng import result, searxng
from tests.fakes.website import NameService, Website


async def search(
    site: Website, query: str = "cats", count: int = 5, *, path: str = "", **limits: Any
) -> list[Source]:
    engine = SearxngEngine(
        f"http://127.0.0.1:{site.port}{path}", SystemResolver(), SearchOptions(**limits)
    )
    return [each async for each in engine.search(query, count, Deadline.after(10))]


@pytest.mark.parametrize("path", ["", "/", "/searx", "/searx/"])
async def test_results_come_as_sources(site: Website, path: str) -> None:
    searxng(site, [result(1, publishedDate="2026-01-02T00:00:00"), result(2)])
    assert await search(site, "cats & dogs?", path=path) == [
        Source("https://example.com/1", "Result 1", "What stands there, 1.", "2026-01-02T00:00:00"),
        Source("https://example.com/2", "Result 2", "What stands there, 2."),
    ]
    [request] = site.requests
    assert dict(request.query) == {"q": "cats & dogs?", "format": "json"}
    assert request.path == path.rstrip("/") + "/search"


async def test_no_more_than_asked_for_and_nothing_odd_is_given(site: Website) -> None:
    odd: list[Any] = [
        result(1, url="javascript:alert(1)"), result(2, url=None), result(3, url=7), "text", None,
        result(4, title=None, content=None), result(5, title="T" * 1_000, content="c " * 1_000),
        result(6),
    ]  # fmt: skip
    searxng(site, odd)
    found = await search(site, count=5, title_chars=10, snippet_chars=5)
    assert found == [
        Source("https://example.com/4", "", ""),
        Source("https://example.com/5", "TTTTTTTTTT", "c c c"),
    ]
    assert len(await search(site, count=1)) <= 1


@pytest.mark.parametrize(
    "page",
    [
        web.Response(status=403, text="no"),
        web.Response(status=429, text="slow down"),
        web.Response(status=500, text="oops"),
        web.Response(status=302, headers={"Location": "http://127.0.0.1:1/search"}),
        web.Response(text="<h1>hello</h1>", content_type="text/html"),
        web.Response(text="{broken", content_type="application/json"),
        web.Response(text='{"results": {}}', content_type="application/json"),
        web.Response(text="[]", content_type="application/json"),
    ],
    ids=["forbidden", "limited", "broken", "moved", "a page", "cut", "no list", "another shape"],
)
async def test_a_failure_names_nothing_of_the_deployment(site: Website, page: web.Response) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return page

    site.pages["/search"] = answer
    with pytest.raises(ToolFailed) as failed:
        await search(site)
    assert str(failed.value) == "The search service could not be asked."


async def test_json_has_to_be_switched_on(site: Website) -> None:
    searxng(site, [], formats=("html",))
    with pytest.raises(ToolFailed):
        await search(site)


async def test_an_answer_that_is_too_long_or_late_is_a_failure(site: Website) -> None:
    searxng(site, [result(number) for number in range(1, 200)])
    with pytest.raises(ToolFailed):
        await search(site, max_bytes=1_000)
    with pytest.raises(ToolFailed):
        await search(site, timeout_s=0.0)


def test_an_address_that_is_none_is_refused_at_the_start() -> None:
    for url in ("searx", "ftp://searx", "http://user:key@searx/"):
        with pytest.raises(SetupError, match="no address of a SearXNG"):
            SearxngEngine(url, NameService({}), SearchOptions())
