"""Where mails go in tests that look at no database."""

from __future__ import annotations

from dataclasses import dataclass, field

from callsheet.tools.context import ToolContext


@dataclass(slots=True)
class NoPost:
    """Keeps them in memory, one for each call."""

    mails: dict[str, tuple[tuple[str, ...], str, str]] = field(default_factory=dict)

    async def put(
        self, ctx: ToolContext, recipients: tuple[str, ...], subject: str, body: str
    ) -> None:
        self.mails.setdefault(ctx.tool_call_id, (recipients, subject, body))
