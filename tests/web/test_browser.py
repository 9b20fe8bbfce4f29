"""In a real browser: calls from another origin, and the built-in page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from callsheet.agui.run_input import RunInput
from callsheet.agui.show import ShowOptions
from callsheet.auth.principal import principal_named
from callsheet.events.entry import Entry
from callsheet.kit.ids import resolve_id
from tests.agui.calls import unpriced
from tests.api.fake import OPTIONS, World
from tests.api.fake_chat import FakeChat
from tests.api.fake_records import a_message
from tests.api.live import local_options, serve, serve_app
from tests.web.drive import drive

pytestmark = pytest.mark.needs("chromium")

ANSWERED = ("turn", "withCookies", "noKey", "refused", "invalid", "broken", "rename", "sessions")


@contextmanager
def frontend() -> Iterator[str]:
    """The address of a page that is not ours."""
    app = FastAPI()

    @app.get("/", response_class=HTMLResponse)
    async def page() -> str:
        return "<!doctype html><title>frontend</title>"

    with serve_app(app) as address:
        yield address


def test_a_page_of_a_listed_origin_reads_every_answer() -> None:
    with frontend() as page:
        options = replace(OPTIONS, allowed_origins=frozenset({page}))
        with serve(World(), options) as api:
            seen = drive("cors.mjs", page, api)
    statuses = {name: seen[name].get("status") for name in ANSWERED}
    assert statuses == {
        "turn": 200,
        "withCookies": 200,
        "noKey": 401,
        "refused": 409,
        "invalid": 422,
        "broken": 500,
        "rename": 404,
        "sessions": 200,
    }
    assert seen["turn"]["finished"]
    assert str(UUID(seen["turn"]["run"])) == seen["turn"]["run"]
    assert all(seen[name]["trace"] for name in ANSWERED)


def test_a_page_of_another_origin_reads_nothing_and_starts_nothing() -> None:
    world = World()
    with frontend() as page, serve(world, local_options()) as api:
        seen = drive("cors.mjs", page, api)
    assert [seen[name] for name in ANSWERED] == [{"blocked": "TypeError"} for _ in ANSWERED]
    assert world.chat.asked == []


def test_the_page_holds_a_conversation() -> None:
    world = World()
    alice = principal_named("alice")
    told = resolve_id("told", alice.user_id, "session")
    asyncio.run(world.sessions.create(alice, told, None))
    said, hidden = replace(a_message(told, 1), role="user", content="Asked"), a_message(told, 3)
    world.sessions.messages_of[told] = [
        said,
        replace(a_message(told, 2), metadata={"visible": True, "run_id": "r"}),
        replace(hidden, metadata={"visible": False, "run_id": "r"}),
    ]
    with serve(world) as address:
        seen = drive("page.mjs", address)
    assert seen["user"] == ["hello <b>there</b>"]
    assert seen["answer"] == ["You said hello <b>there</b> - 391."]
    assert seen["bill"] == ["200 tokens · 0.000124 USD (this text: 50 tokens · 0.000001 USD)"]
    assert seen["spent"] == "1200 tokens · 0.500124 USD"
    assert seen["labels"] == [
        "intent: done, 0.000062 USD",
        "execution: done, 0.000061 USD",
        "organization: done, 0.000001 USD",
    ]
    assert seen["costs"] == [
        ["", "calls", "input", "output", "cost, USD"],
        ["intent", "1", "60", "15", "0.000062"],
        ["Router", "1", "60", "15", "0.000062"],
        ["execution", "1", "60", "15", "0.000061"],
        ["worker", "1", "60", "15", "0.000061"],
        ["organization", "1", "40", "10", "0.000001"],
        ["Writer", "1", "40", "10", "0.000001"],
        ["all", "3", "160", "40", "0.000124"],
    ]
    assert seen["stages"] == [["intent", "done"], ["execution", "done"], ["organization", "done"]]
    assert seen["open"] is False
    assert seen["steps"] == [
        "Router\nA sum, I think.",
        'Router 75 tokens · 0.000062 USD · deepseek-v3.2\n{"route":"tools"}',
        'calculator(…) 75 tokens · 0.000061 USD · deepseek-v3.2\n{"expression":"17*23"}\n= 391',
        "Checker\nIt is right.",
        "Reasoning\nShort.",
    ]
    assert seen["alert"] == "The provider answered 503."
    assert seen["overflow"] is False
    assert seen["left"] == 0
    assert seen["hash"] == 37
    assert seen["history"] == ["Asked", "Answer 2"]
    assert seen["told"] == ["150 tokens · 0.000124 USD (this text: 75 tokens · 0.000062 USD)"]
    assert seen["light"] != seen["dark"]
    assert seen["faults"] == []
    assert seen["foreign"] == []


class UnpricedChat(FakeChat):
    """Its models have no price and may be called."""

    async def _entries(
        self, request: RunInput, trace_id: str
    ) -> AsyncGenerator[tuple[Entry, ...], None]:
        told = [entry async for entries in super()._entries(request, trace_id) for entry in entries]
        yield unpriced(told)


def test_the_page_says_of_what_has_no_price_that_it_is_unpriced() -> None:
    world = World()
    world.chat = UnpricedChat()
    with serve(world) as address:
        seen = drive("hidden.mjs", address)
    assert seen["bill"] == ["200 tokens · unpriced (this text: 50 tokens · unpriced)"]
    assert seen["labels"][0] == "intent: done, unpriced"
    assert seen["costs"][-1] == ["all", "3", "160", "40", "unpriced"]
    assert seen["faults"] == []


def test_the_page_of_a_server_that_hides_money_and_models_shows_tokens() -> None:
    with serve(World(), replace(OPTIONS, show=ShowOptions(costs=False, models=False))) as address:
        seen = drive("hidden.mjs", address)
    assert seen["bill"] == ["200 tokens (this text: 50 tokens)"]
    assert seen["spent"] == "1200 tokens"
    assert seen["labels"][0] == "intent: done, 75 tokens"
    assert seen["costs"][-1] == ["all", "3", "160", "40"]
    assert "undefined" not in seen["text"]
    assert "USD" not in seen["text"]
    assert "deepseek" not in seen["text"]
    assert seen["faults"] == []


def test_the_page_shows_what_tools_show() -> None:
    with serve(World()) as address:
        seen = drive("shown.mjs", address)
    assert seen["live"] == {
        "todo": ["<b>Report</b> (1 of 2)Step 0: doneStep 1: under way"],
        "states": ["completed", "running"],
        "files": ["out/<i>plot.png 18.2 kB"],
        "sources": [
            [1, "<b>Cats</b>", "https://example.com/cats"],
            [2, "kb:articles/7", None],
        ],
        "elements": 0,
    }
    assert seen["again"] == seen["live"]
    assert seen["printed"] == [["stdout", "one two"], ["stderr", "<u>oh</u>"]]
    assert seen["failed"] == ["web_search(…)"]
    assert seen["key"] == "Bearer sk-alice"
    assert "plot" in seen["saved"]
    assert (seen["overflow"], seen["faults"]) == (False, [])
