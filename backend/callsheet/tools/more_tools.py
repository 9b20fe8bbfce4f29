"""Tools that come while the process runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from callsheet.kit.deadline import Deadline


class MoreTools(Protocol):
    """Who brings tools into the registry when they are needed."""

    async def ready(self, tools: Collection[str], deadline: Deadline) -> None:
        """Return once those of the names (or patterns) that can be had are registered.

        What cannot be had is not there, or says so when it is asked: nothing is raised.
        """
        ...

    async def ready_all(self, deadline: Deadline) -> None:
        """`ready` for all that can be had at all."""
        ...


class NoMoreTools:
    """Implements `MoreTools`: all that there are were there at the start."""

    async def ready(self, tools: Collection[str], deadline: Deadline) -> None:
        """Nothing to wait for."""

    async def ready_all(self, deadline: Deadline) -> None:
        """Nothing to wait for."""
