"""Where workflows come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from callsheet.workflows.workflow import Workflow


class Workflows(Protocol):
    """The active revision of every workflow. Cheap: called at the start of each turn."""

    def get(self, name: str) -> Workflow:
        """The active revision; raises NotFound where no folder of that name is active."""
        ...

    def names(self) -> Sequence[str]:
        """The names of all active workflows, sorted."""
        ...
