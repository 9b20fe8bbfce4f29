"""A condition of a workflow, in CEL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Rule(Protocol):
    """A compiled condition."""

    @property
    def expression(self) -> str:
        """The text as the author wrote it."""
        ...

    @property
    def stages(self) -> frozenset[str]:
        """The stages whose results it looks at."""
        ...

    def holds(self, variables: Mapping[str, Any]) -> bool:
        """Whether it is true now; a value that is absent makes it false."""
        ...
