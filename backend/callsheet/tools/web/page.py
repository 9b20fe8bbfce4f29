"""A page as a model reads it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """`text` is Markdown, or what stood there where it was no HTML. `is_cut`: there was more.

    `published` as the page itself spells it.
    """

    title: str
    text: str
    published: str | None = None
    is_cut: bool = False
