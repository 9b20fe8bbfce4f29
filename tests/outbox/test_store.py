"""One mail for each tool call, however often it is made."""

from __future__ import annotations

from dataclasses import replace

from callsheet.db.transaction import Database
from callsheet.outbox.mail import Mail
from callsheet.outbox.store import add_mail
from tests.journal.stage import admitted
from tests.sessions.rows import rows


async def test_a_call_that_is_made_again_writes_no_second_mail(database: Database) -> None:
    keys = (await admitted(database)).keys
    mail = Mail(
        "call-1", keys.run_id, keys.session_id, keys.user_id, ("a@b.example",), "Hi", "世界"
    )
    async with database.transaction() as tx:
        assert await add_mail(tx, mail)
    async with database.transaction() as tx:
        assert not await add_mail(tx, replace(mail, body="Another"))
        assert await add_mail(tx, replace(mail, tool_call_id="call-2"))
    stored = await rows(database, "SELECT recipients, subject, body FROM outbox ORDER BY id")
    assert sorted(stored) == [(["a@b.example"], "Hi", "世界")] * 2
