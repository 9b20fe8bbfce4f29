"""A fake of SearXNG's JSON API, as its documentation describes it."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from tests.fakes.website import Website


def result(number: int, **more: Any) -> dict[str, Any]:
    """One result with everything that the service sends beside what is used."""
    return {
        "url": f"https://example.com/{number}",
        "title": f"Result {number}",
        "content": f"What stands there, {number}.",
        "thumbnail": None,
        "engine": "fake",
        "template": "default.html",
        "parsed_url": ["https", "example.com", f"/{number}", "", "", ""],
        "img_src": "",
        "priority": "",
        "engines": ["fake"],
        "positions": [number],
        "score": 1.0 / number,
        "category": "general",
        "publishedDate": None,
        **more,
    }


def searxng(site: Website, results: list[Any], *, formats: tuple[str, ...] = ("json",)) -> None:
    """`site` answers searches with `results`; without the format json it answers 403."""

    async def answer(request: web.Request) -> web.StreamResponse:
        query = request.query
        if query.get("format") not in formats:
            return web.Response(status=403, text="<h1>Forbidden</h1>", content_type="text/html")
        said = {
            "query": query["q"],
            "number_of_results": 0,
            "results": results,
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [["other", "timeout"]],
        }
        return web.Response(text=json.dumps(said), content_type="application/json")

    site.pages["/search"] = answer
    site.pages["/searx/search"] = answer
