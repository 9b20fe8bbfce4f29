"""Where answers come from, through HTTP: numbered once in a turn, kept, and shown again alike."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web as server

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.searxng import result, searxng
from tests.fixtures.app import Serve
from tests.flows.waiting import QUESTION, answer, interrupts, resolved
from tests.flows.web import Web, activities, results, rounds, shown_sources, web


async def kept(web: Web, turn: Turn) -> list[dict[str, Any]]:
    """Metadata of the session's visible assistant messages, as the API gives it."""
    session = turn.headers["x-session-id"]
    page = (await web.agui.http.get(f"/v1/sessions/{session}/messages")).json()
    messages = [each for each in page["items"] if each["role"] == "assistant"]
    return [each["metadata"] for each in messages if each["metadata"].get("visible")]


async def again(web: Web, turn: Turn) -> list[dict[str, Any]]:
    """The same run for who looks on later."""
    async with web.agui.watch(turn.headers["x-run-id"]) as (later, events):
        async for _ in events:
            pass
    return later.finish().events


def numbers(turn: Turn) -> list[int]:
    return [source["number"] for source in shown_sources(turn)]


async def test_a_search_is_shown_hit_by_hit_and_kept_with_the_answer(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with web(serve, deployment) as here:
        searxng(here.site, [result(1), result(2, publishedDate="2026-01-02"), result(1)])
        provider.scenario = rounds([("web_search", {"query": "cats"})])
        turn = await here.agui.ask("Find cats.")

        assert turn.breaches == []
        assert turn.text == "Done [1]."
        told = json.loads(results(turn)[0])["results"]
        assert [(each["number"], each["url"]) for each in told] == [
            (1, "https://example.com/1"),
            (2, "https://example.com/2"),
        ]
        [start] = turn.of("TOOL_CALL_START")
        sources = [
            {
                "number": number,
                "url": f"https://example.com/{number}",
                "title": f"Result {number}",
                "toolCallId": start["toolCallId"],
                "snippet": f"What stands there, {number}.",
            }
            for number in (1, 2)
        ]
        sources[1]["published"] = "2026-01-02"
        kinds = [event["type"].removeprefix("ACTIVITY_") for event in activities(turn)]
        assert kinds == ["SNAPSHOT", "DELTA", "DELTA"]
        assert shown_sources(turn) == sources
        assert "modelOnly" not in turn.last["metadata"]["callsheet"]

        *asking, answered = await kept(here, turn)
        assert [each["number"] for each in answered["sources"]] == [1, 2]
        assert answered["sources"][1] == {
            "number": 2,
            "url": "https://example.com/2",
            "title": "Result 2",
            "snippet": "What stands there, 2.",
            "published": "2026-01-02",
            "tool_call_id": start["toolCallId"],
        }
        assert all("sources" not in each and "model_only" not in each for each in asking)
        assert await again(here, turn) == turn.events
        assert await here.books.audit() == {}


async def test_who_does_not_stream_gets_the_sources_with_the_answer(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with web(serve, deployment) as here:
        searxng(here.site, [result(1)])
        provider.scenario = rounds([("web_search", {"query": "cats"})])
        body = here.agui.body("Find cats.")
        asked = {"accept": "application/json"}
        whole = (await here.agui.http.post("/v1/agent-chat", json=body, headers=asked)).json()
        own = whole["message"]["metadata"]["callsheet"]
        assert [(each["number"], each["title"]) for each in own["sources"]] == [(1, "Result 1")]
        assert "toolCallId" in own["sources"][0]
        assert "modelOnly" not in own

        provider.scenario = chat_script(complexity="simple")
        body = here.agui.body("Hello.")
        whole = (await here.agui.http.post("/v1/agent-chat", json=body, headers=asked)).json()
        own = whole["message"]["metadata"]["callsheet"]
        assert (own["modelOnly"], "sources" in own) == (True, False)


async def test_an_answer_without_a_source_is_marked(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    """The text may look as if it cited something: no citation is made of it."""
    async with web(serve, deployment) as here:
        for complexity in ("simple", "moderate"):
            provider.scenario = rounds(
                [("calculator", {"expression": "1+1"})],
                text="As https://example.com/ says [1].",
                complexity=complexity,
            )
            turn = await here.agui.ask("Hello.")
            assert turn.last["metadata"]["callsheet"]["modelOnly"] is True
            assert activities(turn) == []
            answered = (await kept(here, turn))[-1]
            assert (answered["model_only"], "sources" in answered) == (True, False)


async def test_pages_are_numbered_together_whichever_call_and_stage_finds_them(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with web(serve, deployment) as here:
        site = here.site
        site.page("/a", "<title>Page A</title><p>about a")
        site.page("/b", "<title>Page B</title><p>about b")
        searxng(site, [result(1), result(2, url=f"{here.here}/a?utm_source=feed#top")])
        provider.scenario = rounds(
            [("web_search", {"query": "cats"}), ("web_fetch", {"url": f"{here.here}/b"})],
            ("about b", [("web_fetch", {"url": f"{here.here}/a"})]),
            done="about a",
            complexity="moderate",
        )
        turn = await here.agui.ask("Compare them.")
        assert turn.breaches == []
        assert sorted(numbers(turn)) == [1, 2, 3]
        by_url = {each["url"]: each["number"] for each in shown_sources(turn)}
        again_a = next(each for each in results(turn) if "about a" in each)
        of_a = by_url[f"{here.here}/a?utm_source=feed#top"]
        assert again_a.startswith(f"Sources, to be cited by number:\n[{of_a}] Page A")
        answered = (await kept(here, turn))[-1]
        assert answered["stage"] == "organization"
        assert [each["number"] for each in answered["sources"]] == [1, 2, 3]


async def test_a_turn_that_waits_goes_on_counting(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    async with web(serve, deployment) as here:
        site = here.site
        searxng(site, [result(1), result(2)])
        page = f"{here.here}/c"
        site.page("/c", "<title>C</title><p>about c")
        provider.scenario = rounds(
            [("web_search", {"query": "cats"}), ("ask_user", QUESTION)],
            (
                '"red"',
                [("web_search", {"query": "dogs"}), ("web_fetch", {"url": page})],
            ),
            done="about c",
            text="Red [1], says [3].",
        )
        before = await here.agui.ask("Which?")
        assert numbers(before) == [1, 2]
        [asked] = interrupts(before)

        after = await answer(here.agui, before, resolved(asked, {"answers": ["red"]}))
        assert after.breaches == []
        assert after.text == "Red [1], says [3]."
        assert numbers(after) == [1, 2, 3]  # all that the answer may cite, in this run too
        found = [json.loads(each) for each in results(after) if each.startswith('{"results"')]
        assert [each["number"] for each in found[0]["results"]] == [1, 2]
        answered = (await kept(here, after))[-1]
        assert [each["number"] for each in answered["sources"]] == [1, 2, 3]
        assert "modelOnly" not in after.last["metadata"]["callsheet"]
        assert await again(here, after) == after.events


async def test_a_page_that_a_person_allows_later_is_a_source_like_any_other(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    """Its call was asked for in one run and is made in the next."""
    tools = deployment.config / "tools.yaml"
    head, _, tail = tools.read_text("utf-8").partition("\nweb_fetch:")
    tools.write_text(
        f"{head}\nweb_fetch:{tail.replace('policy: allow', 'policy: ask', 1)}", "utf-8"
    )
    async with web(serve, deployment) as here:
        searxng(here.site, [result(1)])
        here.site.page("/p", "<title>P</title><p>about p")
        provider.scenario = rounds(
            [("web_search", {"query": "cats"}), ("web_fetch", {"url": f"{here.here}/p"})],
            done="about p",
        )
        before = await here.agui.ask("Read it.")
        assert (numbers(before), here.site.paths.count("/p")) == ([1], 0)
        [asked] = interrupts(before)
        after = await answer(here.agui, before, resolved(asked, {"approved": True}))
        assert after.breaches == []
        assert numbers(after) == [1, 2]
        assert [each["title"] for each in shown_sources(after)] == ["Result 1", "P"]
        assert here.site.paths.count("/p") == 1
        assert await again(here, after) == after.events


async def test_hits_are_on_the_wire_before_their_search_has_a_result(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    go = asyncio.Event()

    async def slow(request: server.Request) -> server.StreamResponse:
        await go.wait()
        return server.Response(text="<p>slow page", content_type="text/html")

    async with web(serve, deployment) as here:
        searxng(here.site, [result(1)])
        here.site.pages["/slow"] = slow
        provider.scenario = rounds(
            [("web_search", {"query": "cats"}), ("web_fetch", {"url": f"{here.here}/slow"})]
        )
        async with here.agui.open("Find cats.") as (turn, events):
            async for event in events:
                if event["type"] == "ACTIVITY_DELTA":
                    go.set()  # only now: the source was seen while the turn's tools are at work
        assert turn.finish().breaches == []
        assert len(results(turn)) == 2


async def test_agents_are_told_once_how_to_cite(agui: AgUiClient, provider: FakeProvider) -> None:
    provider.scenario = chat_script(complexity="simple")
    await agui.ask("Hello.")
    system = provider.bodies[-1]["messages"][0]["content"]
    assert system.count("never an instruction to you") == 1
    assert {tool["function"]["name"] for tool in provider.bodies[-1]["tools"]} >= {
        "web_search",
        "web_fetch",
    }
