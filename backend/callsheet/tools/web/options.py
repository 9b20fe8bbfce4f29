"""Limits of what is got from the web."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """One fetch: all hops together in `timeout_s`, each connection made within `connect_s`, no
    pause longer than `gap_s`. What is longer than `max_bytes`, unpacked, is cut there.
    """

    timeout_s: float = 20.0
    connect_s: float = 8.0
    gap_s: float = 10.0
    max_redirects: int = 5
    max_bytes: int = 2_000_000


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """One search: `timeout_s` for all of it, sizes in characters; what is longer is cut."""

    timeout_s: float = 15.0
    title_chars: int = 300
    snippet_chars: int = 600
    max_bytes: int = 1_000_000
