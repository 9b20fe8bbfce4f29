"""How a tool asks a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from callsheet.kit.errors import ToolFailed


class ToolModels(Protocol):
    """Models of the catalog, for one call of a tool.

    Each question is in the ledger like any other, within every budget, and its cost stands on the
    message of the tool's result. What is said stays between the tool and the model.
    """

    async def ask(
        self,
        asked: str | Sequence[Mapping[str, Any]],
        *,
        model: str | None = None,
        max_output_tokens: int | None = None,
    ) -> str:
        """The text of the whole answer.

        `asked` is the user's word, or messages in the OpenAI chat format. `model` is a code of the
        catalog, None: that of the agent that called the tool.

        Raises:
            ToolFailed: there is no such model, no money left, or no answer in time; its message is
                for the model that called the tool.
        """
        ...


class NoModels:
    """Implements `ToolModels` where there are none."""

    async def ask(
        self,
        asked: str | Sequence[Mapping[str, Any]],
        *,
        model: str | None = None,
        max_output_tokens: int | None = None,
    ) -> str:
        """Always refused; see `ToolModels.ask`."""
        del asked, model, max_output_tokens
        raise ToolFailed("No model can be asked here.")
