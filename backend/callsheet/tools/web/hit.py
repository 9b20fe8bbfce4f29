"""One result of a search, as engines spell it."""

from __future__ import annotations

from typing import Any

from callsheet.tools.source import Source
from callsheet.tools.web.options import SearchOptions


def hit(
    url: Any, title: Any, snippet: Any, published: Any, options: SearchOptions
) -> Source | None:
    """The source, its white space folded; None where its address is none of the web."""
    address = _text(url, 4096)
    if not address.lower().startswith(("http://", "https://")):
        return None
    return Source(
        address,
        _text(title, options.title_chars),
        _text(snippet, options.snippet_chars),
        _text(published, 40) or None,
    )


def _text(value: Any, most: int) -> str:
    return " ".join(value.split())[:most] if isinstance(value, str) else ""
