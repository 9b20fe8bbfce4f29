"""Turns whose agents use the web, through HTTP; the web is a site on this machine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import EXECUTION, INTENT, judged
from tests.fakes.deployment import Deployment
from tests.fakes.provider.scenario import Rule, Scenario
from tests.fakes.website import Website, website
from tests.fixtures.app import Serve

Call = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Web:
    """A served deployment that may read `site`, and searches there."""

    site: Website
    agui: AgUiClient
    books: Books

    @property
    def here(self) -> str:
        return f"http://127.0.0.1:{self.site.port}"


@asynccontextmanager
async def web(serve: Serve, deployment: Deployment, **more: Any) -> AsyncIterator[Web]:
    async with website() as site:
        settings = {
            "allow": (f"127.0.0.1:{site.port}",),
            "searxng_url": f"http://127.0.0.1:{site.port}",
        }
        async with serve(deployment, web=settings, **more) as (agui, books):
            yield Web(site, agui, books)


def rounds(
    first: Sequence[Call],
    *more: tuple[str, Sequence[Call]],
    done: str = "",
    text: str = "Done [1].",
    complexity: str = "simple",
) -> Scenario:
    """The executing agent calls the tools of `first`; those of `more` once a result holds what
    stands before them; and answers at the latest when a result holds `done`.
    """
    rules = [Rule(match=INTENT, set={"text": judged(complexity)})]
    if done:
        rules.append(Rule(match=f"{EXECUTION}.*{done}", set={"tools": []}))
    for seen, calls in reversed(more):
        asked = {"tools": _asked(calls), "tools_always": True}
        rules.append(Rule(match=f"{EXECUTION}.*{seen}", set=asked))
    rules.append(Rule(match=EXECUTION, set={"tools": _asked(first)}))
    return Scenario(rules=tuple(rules), text=text)


def _asked(calls: Sequence[Call]) -> list[dict[str, str]]:
    return [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]


def activities(turn: Turn, kind: str = "callsheet.sources") -> list[dict[str, Any]]:
    told = turn.of("ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA")
    return [event for event in told if event["activityType"] == kind]


def shown_sources(turn: Turn) -> list[dict[str, Any]]:
    """The list as a client has it in the end."""
    sources: list[dict[str, Any]] = []
    for event in activities(turn):
        if event["type"] == "ACTIVITY_SNAPSHOT":
            sources = list(event["content"]["sources"])
        for patch in event.get("patch", ()):
            assert (patch["op"], patch["path"]) == ("add", "/sources/-")
            sources.append(patch["value"])
    return sources


def results(turn: Turn) -> list[str]:
    return [event["content"] for event in turn.of("TOOL_CALL_RESULT")]
