"""What a tool is."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel

from callsheet.tools.context import ToolContext


@runtime_checkable
class Tool(Protocol):
    """An ability of an agent.

    `description` is for the model. `Args` is the Pydantic model of the arguments; its JSON
    schema is what the model sees, so its fields carry descriptions.
    """

    @property
    def name(self) -> str:
        """1 to 64 letters, digits, `_` or `-`; unique in the process."""
        ...

    @property
    def description(self) -> str:
        """What it is good for, in the model's eyes."""
        ...

    @property
    def Args(self) -> type[BaseModel]:  # noqa: N802 - an implementation has a class here
        """The record of the arguments."""
        ...

    async def run(self, args: Any, ctx: ToolContext) -> Any:
        """Do it. The result is text, or anything that strict JSON can hold.

        Raises:
            ToolRetry: the arguments were wrong in a way that the model can mend.
            ToolFailed: it could not be done.
        """
        ...
