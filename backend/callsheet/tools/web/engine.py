"""What searches the web."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from callsheet.kit.deadline import Deadline
from callsheet.tools.source import Source


class SearchEngine(Protocol):
    """One way to search; each is an adapter of its own."""

    @property
    def summary(self) -> str:
        """Through what it searches, in one line for people, and whether that was ever tried."""
        ...

    def search(self, query: str, count: int, deadline: Deadline) -> AsyncGenerator[Source, None]:
        """Up to `count` results, the best first, each as soon as it is there.

        Raises:
            ToolFailed: it could not search, in words that name nothing of the deployment.
        """
        ...
