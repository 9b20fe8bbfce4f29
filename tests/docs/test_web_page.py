"""The page about the web says what is so."""

from __future__ import annotations

import re
from typing import Any

from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.web.guard import _INSIDE_NAMES, PORTS
from callsheet.tools.web.markdown import _MOST_TAGS
from callsheet.tools.web.options import FetchOptions, SearchOptions
from callsheet.tools.web.web_fetch import PAGE_CHARS
from callsheet.tools.web.web_search import MOST_RESULTS
from tests.docs.pages import text_of
from tests.tools.calls import context

PAGE = text_of("docs/web.md")


def test_its_limits_are_the_ones_in_force() -> None:
    fetch, search = FetchOptions(), SearchOptions()
    for said in (
        f"{fetch.timeout_s:.0f} s, or what the turn has left",
        f"{fetch.connect_s:.0f} s, {fetch.gap_s:.0f} s",
        f"| redirects | {fetch.max_redirects} |",
        f"{fetch.max_bytes:,} bytes each",
        f"{_MOST_TAGS:,}; what follows is cut",
        f"parts of {PAGE_CHARS:,} characters",
        f"{search.timeout_s:.0f} s; the call itself",
        f"1 to {MOST_RESULTS};",
    ):
        assert said in PAGE
    *others, last = (str(port) for port in sorted(PORTS))
    assert f"{', '.join(others)} or {last}." in PAGE
    for name in _INSIDE_NAMES:
        assert f"`{name}`" in PAGE


async def test_the_tool_with_sources_works_as_it_stands() -> None:
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {"__name__": "handbook"}
    exec(compile(code[1], "web.md", "exec", dont_inherit=True), names)
    registry = ToolRegistry()
    registry.add([names["Handbook"]()], owner="page")
    called = await ToolInvoker(registry).invoke(
        "handbook", '{"chapter": 2}', context(), allowed=frozenset({"handbook"})
    )
    assert called.content == (
        "Sources, to be cited by number:\n"
        "[1] Handbook <https://handbook.example.com/2>\n\nWash your hands."
    )
