"""The way to the web, as the settings have it."""

from __future__ import annotations

from callsheet.settings.web import WebSettings
from callsheet.tools.web.ddgs import DdgsEngine
from callsheet.tools.web.engine import SearchEngine
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import read_allow_list
from callsheet.tools.web.options import FetchOptions, SearchOptions
from callsheet.tools.web.resolver import SystemResolver
from callsheet.tools.web.searxng import SearxngEngine


def make_fetcher(settings: WebSettings) -> Fetcher:
    """Reads pages of the public internet, and the services that are allowed."""
    return Fetcher(SystemResolver(), read_allow_list(settings.allow), FetchOptions())


def make_engine(settings: WebSettings) -> SearchEngine:
    """The SearXNG of the deployment, where it has one."""
    if settings.searxng_url is None:
        return DdgsEngine(SearchOptions())
    return SearxngEngine(settings.searxng_url, SystemResolver(), SearchOptions())
