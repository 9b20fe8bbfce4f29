"""The two tools as an agent's call sees them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed
from callsheet.tools.invoke import ToolInvoker, ToolOutcome
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.source import Source
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import read_allow_list
from callsheet.tools.web.options import FetchOptions
from callsheet.tools.web.web_fetch import PAGE_CHARS, WebFetch
from callsheet.tools.web.web_search import WebSearch
from tests.fakes.website import NameService, Website
from tests.tools.calls import context


class Engine:
    """Gives these, and fails where it is told to."""

    summary = "a fake"

    def __init__(self, *found: Source, fails: bool = False) -> None:
        self.found = found
        self.fails = fails
        self.asked: list[tuple[str, int]] = []

    async def search(
        self, query: str, count: int, deadline: Deadline
    ) -> AsyncGenerator[Source, None]:
        self.asked.append((query, count))
        for each in self.found:
            yield each
        if self.fails:
            raise ToolFailed("The engine broke.")


async def invoked(tool: Any, arguments: Any) -> ToolOutcome:
    registry = ToolRegistry()
    registry.add([tool], owner="tests")
    invoker = ToolInvoker(registry)
    return await invoker.invoke(
        tool.name, json.dumps(arguments), context(20), allowed=frozenset({tool.name})
    )


async def fetched(site: Website, path: str, *, own: Sequence[str] = (), **more: Any) -> ToolOutcome:
    here = f"127.0.0.1:{site.port}"
    allowed = read_allow_list([here, *own])
    tool = WebFetch(Fetcher(NameService({}), allowed, FetchOptions()))
    return await invoked(tool, {"url": f"http://{here}{path}", **more})


async def test_results_are_numbered_once_for_each_page() -> None:
    engine = Engine(
        Source("https://a.example/", "A", "about a"),
        Source("https://A.example:443/?utm_source=x#top", "A again"),
        Source("https://b.example/", "B", "about b", "2026-01-02"),
        Source("https://c.example/", "C"),
    )
    outcome = await invoked(WebSearch(engine), {"query": " letters ", "count": 2})
    assert engine.asked == [("letters", 2)]
    assert json.loads(outcome.content) == {
        "results": [
            {"number": 1, "title": "A", "url": "https://a.example/", "snippet": "about a"},
            {
                "number": 2, "title": "B", "url": "https://b.example/", "snippet": "about b",
                "published": "2026-01-02",
            },
        ]
    }  # fmt: skip


async def test_a_search_that_finds_nothing_or_breaks_off_says_so() -> None:
    nothing = await invoked(WebSearch(Engine()), {"query": "x"})
    assert json.loads(nothing.content) == {"results": [], "note": "Nothing was found."}
    broken = await invoked(WebSearch(Engine(fails=True)), {"query": "x"})
    assert (broken.status, broken.content) == ("error", "Error: The engine broke.")
    some = Engine(Source("https://a.example/", "A"), fails=True)
    kept = json.loads((await invoked(WebSearch(some), {"query": "x"})).content)
    assert len(kept["results"]) == 1
    assert kept["note"] == "The search broke off; there may be more."


@pytest.mark.parametrize(
    "arguments", [{}, {"query": ""}, {"query": "x", "count": 11}, {"query": "x" * 401}]
)
async def test_a_search_is_bounded(arguments: dict[str, Any]) -> None:
    assert (await invoked(WebSearch(Engine()), arguments)).status == "error"


async def test_a_page_comes_with_its_source_named_first(site: Website) -> None:
    site.page("/a", "<title>Title</title><h1>Head</h1><p>Text with <a href=/b>a link</a>.")
    outcome = await fetched(site, "/a")
    here = f"http://127.0.0.1:{site.port}"
    assert outcome.content == (
        f"Sources, to be cited by number:\n[1] Title <{here}/a>\n\n"
        f"# Head\n\nText with [a link]({here}/b)."
    )


@pytest.mark.parametrize(
    ("body", "media_type"),
    [('{"a": [1, 2]}', "application/json"), ("<a>b</a>", "application/xml"), ("a,b", "text/csv")],
)
async def test_other_text_comes_as_it_is(site: Website, body: str, media_type: str) -> None:
    site.page("/", body, media_type)
    assert (await fetched(site, "/")).content.endswith(f"\n\n{body}")


async def test_a_long_page_is_read_in_parts(site: Website) -> None:
    site.page("/", "a" * PAGE_CHARS + "b" * 10, "text/plain")
    first = (await fetched(site, "/")).content
    assert first.endswith(
        f"aaa\n\n[characters 0 to {PAGE_CHARS} of {PAGE_CHARS + 10}; "
        f"the next ones with start={PAGE_CHARS}]"
    )
    rest = (await fetched(site, "/", start=PAGE_CHARS)).content
    assert rest.endswith("\n\n" + "b" * 10)
    beyond = await fetched(site, "/", start=PAGE_CHARS + 10)
    assert beyond.content == f"Error: The page has {PAGE_CHARS + 10} characters; begin before that."


async def test_a_page_that_is_cut_or_empty_says_so(site: Website) -> None:
    site.page("/empty", "<script>x</script>")
    assert (await fetched(site, "/empty")).content.endswith("[the page has no text]")
    site.page("/long", "<p>x</p>" * 41_000 + "the end")
    last = await fetched(site, "/long", start=20_000 * 3 - 10)
    assert last.content.endswith("[the page is longer than what is read of one]")


async def test_what_is_no_text_is_refused_with_type_and_size(site: Website) -> None:
    site.page("/", b"%PDF-1.7", "application/pdf")
    outcome = await fetched(site, "/")
    assert outcome.status == "error"
    assert "application/pdf of 8 bytes" in outcome.content
