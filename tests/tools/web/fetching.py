"""One way to fetch in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callsheet.kit.deadline import Deadline
from callsheet.tools.web.fetched import Fetched
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import read_allow_list
from callsheet.tools.web.options import FetchOptions
from tests.fakes.website import NameService, Website


def anything(media_type: str, length: int | None) -> None:
    """Takes every type."""


async def fetch(
    url: str,
    *,
    own: Sequence[str] = (),
    names: Mapping[str, Any] | None = None,
    seconds: float = 10.0,
    **limits: Any,
) -> Fetched:
    fetcher = Fetcher(NameService(names or {}), read_allow_list(own), FetchOptions(**limits))
    headers = {"User-Agent": "test"}
    return await fetcher.fetch(url, headers, Deadline.after(seconds), anything)


async def own(site: Website, path: str, **more: Any) -> Fetched:
    """A page of the site, which the operator allows by its address."""
    here = f"127.0.0.1:{site.port}"
    return await fetch(f"http://{here}{path}", own=[here, *more.pop("own", ())], **more)
