"""What a tool is."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

from pydantic import BaseModel

from callsheet.tools.context import ToolContext


@runtime_checkable
class Tool(Protocol):
    """An ability of an agent.

    `description` is for the model. `Args` is the Pydantic model of the arguments; its JSON
    schema is what the model sees, so its fields carry descriptions.
    """

    name: ClassVar[str] | str
    description: ClassVar[str] | str
    Args: type[BaseModel]

    async def run(self, args: Any, ctx: ToolContext) -> Any:
        """Do it. The result is text, or anything that strict JSON can hold.

        Raises:
            ToolRetry: the arguments were wrong in a way that the model can mend.
            ToolFailed: it could not be done.
        """
        ...
