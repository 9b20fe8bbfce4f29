"""The SQL of the outbox."""

from __future__ import annotations

from sqlalchemy import text

from callsheet.db.transaction import Tx
from callsheet.outbox.mail import Mail

_ADD = text("""
INSERT INTO outbox (tool_call_id, run_id, session_id, user_id, recipients, subject, body)
VALUES (:tool_call_id, :run_id, :session_id, :user_id, :recipients, :subject, :body)
ON CONFLICT (tool_call_id) DO NOTHING
""")


async def add_mail(tx: Tx, mail: Mail) -> bool:
    """Put the mail in; False where the same call has put one in before, which stays."""
    result = await tx.execute(
        _ADD,
        {
            "tool_call_id": mail.tool_call_id,
            "run_id": mail.run_id,
            "session_id": mail.session_id,
            "user_id": mail.user_id,
            "recipients": list(mail.recipients),
            "subject": mail.subject,
            "body": mail.body,
        },
    )
    return result.rowcount == 1
