"""The outbox, for the tool that writes mails."""

from __future__ import annotations

from collections.abc import Callable

from callsheet.db.transaction import Database
from callsheet.outbox.mail import Mail
from callsheet.outbox.store import add_mail
from callsheet.tools.context import ToolContext


class StoredPost:
    """Implements `tools.builtin.post.Post`; the database is asked for when a mail comes."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    async def put(
        self, ctx: ToolContext, recipients: tuple[str, ...], subject: str, body: str
    ) -> None:
        """Keep the mail; a second one of the same tool call is ignored."""
        mail = Mail(
            tool_call_id=ctx.tool_call_id,
            run_id=ctx.run_id,
            session_id=ctx.session_id,
            user_id=ctx.user_id,
            recipients=recipients,
            subject=subject,
            body=body,
        )
        async with self._database().transaction() as tx:
            await add_mail(tx, mail)
