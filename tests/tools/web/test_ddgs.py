"""Searching through the library, whose own HTTP edge is replaced; all above it is the real one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from ddgs.exceptions import DDGSException, TimeoutException
from ddgs.http_client import HttpClient

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed
from callsheet.tools.source import Source
from callsheet.tools.web.ddgs import DdgsEngine
from callsheet.tools.web.options import SearchOptions

CATS = "https://en.wikipedia.org/wiki/Cat"
DUCK = """<html><body><div class="links_main result__body">
<h2><a href="https://example.com/cats">All  about cats</a></h2>
<a href="https://example.com/cats">Cats are small.</a></div></body></html>"""


class Reply:
    def __init__(self, text: str, status: int = 200) -> None:
        self.status_code = status
        self.text = text
        self.content = text.encode()


def wikipedia(url: str) -> Reply | None:
    if "wikipedia.org" not in url:
        return None
    if "opensearch" in url:
        return Reply(json.dumps(["cats", ["Cat"], [""], [CATS]]))
    return Reply(json.dumps({"query": {"pages": {"1": {"extract": "The cat  is an animal."}}}}))


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], Any]], list[str]]:
    """Have every request of the library answered by a function of its address."""

    def replace(answer: Callable[[str], Any]) -> list[str]:
        asked: list[str] = []

        def request(self: HttpClient, method: str, url: str, **more: Any) -> Any:
            asked.append(url)
            return answer(url)

        monkeypatch.setattr(HttpClient, "request", request)
        return asked

    return replace


async def search(query: str = "cats", count: int = 5, **limits: Any) -> list[Source]:
    engine = DdgsEngine(SearchOptions(**limits))
    return [each async for each in engine.search(query, count, Deadline.after(20))]


async def test_results_of_several_engines_come_as_sources(edge: Any) -> None:
    def answer(url: str) -> Reply:
        page = Reply(DUCK) if "duckduckgo" in url else Reply("", 503)
        return wikipedia(url) or page

    asked = edge(answer)
    found = await search()
    assert found[0] == Source(CATS, "Cat", "The cat is an animal.")
    assert found[1:] in (
        [],  # the library asks some of its engines, by chance
        [Source("https://example.com/cats", "All about cats", "Cats are small.")],
    )
    assert any("search=cats" in url for url in asked)


@pytest.mark.parametrize(("query", "host"), [("cats", "en."), ("猫", "zh."), ("cats 猫", "zh.")])
async def test_engines_look_in_the_language_of_the_query(edge: Any, query: str, host: str) -> None:
    asked = edge(lambda url: wikipedia(url) or Reply("", 503))
    await search(query)
    assert any(f"{host}wikipedia.org" in url for url in asked)


async def test_nothing_found_is_no_failure(edge: Any) -> None:
    nothing = {"wikipedia": '["cats", [], [], []]', "grokipedia": "{}"}

    def answer(url: str) -> Reply:
        said = next((text for name, text in nothing.items() if name in url), None)
        return Reply(said or "<html><body><p>No results.</p></body></html>")

    edge(answer)
    assert await search() == []


async def test_engines_that_cannot_be_asked_are_a_failure(edge: Any) -> None:
    def refuse(url: str) -> Reply:
        raise DDGSException("ConnectError: secret detail")

    edge(refuse)
    with pytest.raises(ToolFailed) as failed:
        await search()
    assert str(failed.value) == "The search engines could not be asked."


async def test_engines_that_are_late_are_a_failure(edge: Any) -> None:
    def late(url: str) -> Reply:
        raise TimeoutException("operation timed out")

    edge(late)
    with pytest.raises(ToolFailed, match="did not answer in time"):
        await search()


async def test_an_engine_that_hangs_does_not_hold_the_turn(edge: Any) -> None:
    let_go = threading.Event()

    def hang(url: str) -> Reply:
        let_go.wait(30)
        return Reply("", 503)

    edge(hang)
    try:
        with pytest.raises(ToolFailed, match="did not answer in time"):
            await search(timeout_s=0.3)
    finally:
        let_go.set()
