"""Which models there are. Filled by `wiring` from configuration and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from callsheet.llm.model import Model


class Models(Protocol):
    """Looks a model up by our own name for it."""

    def get(self, model_code: str) -> Model:
        """The model; raises Unavailable where it is unknown or its key is missing."""
        ...

    def all(self) -> Mapping[str, Model]:
        """Every model that can be called now, by model code."""
        ...
