"""Where a tool has something from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A page that can be cited. `published` as the source itself spells it."""

    url: str
    title: str
    snippet: str = ""
    published: str | None = None
