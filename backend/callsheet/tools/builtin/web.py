"""The tools for the web; they are in the package `tools.web`."""

from __future__ import annotations

from collections.abc import Sequence

from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.tool import Tool
from callsheet.tools.web.web_fetch import WebFetch
from callsheet.tools.web.web_search import WebSearch


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tools of this module."""
    return (WebSearch(ports.search), WebFetch(ports.fetcher))
