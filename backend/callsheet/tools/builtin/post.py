"""Where mails go."""

from __future__ import annotations

from typing import Protocol

from callsheet.tools.context import ToolContext


class Post(Protocol):
    """Takes mails that are to be sent."""

    async def put(
        self,
        ctx: ToolContext,
        recipients: tuple[str, ...],
        subject: str,
        body: str,
    ) -> None:
        """Keep the mail; a second one of the same tool call is ignored."""
        ...
