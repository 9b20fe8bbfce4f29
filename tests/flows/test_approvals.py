"""A tool that has to be allowed first: what is shown, and what comes of each answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.provider.server import FakeProvider
from tests.flows.waiting import MAIL, answer, dropped, interrupts, resolved, told, waits


async def mails(books: Books) -> list[dict[str, Any]]:
    return await books.rows("SELECT recipients, subject, body FROM outbox")


async def test_an_approved_mail_is_sent_once_with_what_the_person_made_of_it(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    assert asked["reason"] == "approval"
    assert asked["metadata"]["callsheet"] == {
        "tool": "send_mail",
        "label": {"en": "Send a mail", "zh": "发送邮件"},
        "arguments": MAIL,
        "reason": "The tool has to be allowed each time it is used.",
        "sideEffect": "A mail is sent in the user's name.",
    }
    assert await mails(books) == []
    edited = {**MAIL, "subject": "Hi"}
    payload = {"approved": True, "arguments": edited, "comment": "Less stiff."}
    after = await answer(agui, turn, resolved(asked, payload))
    assert after.text == "The work is done."
    assert await mails(books) == [{"recipients": MAIL["to"], "subject": "Hi", "body": MAIL["body"]}]
    [said] = told(provider)
    assert "Less stiff." in said
    assert '"subject":"Hi"' in said
    again = await answer(agui, turn, resolved(asked, payload))
    assert again.text == after.text
    assert again.headers["x-run-id"] == after.headers["x-run-id"]
    assert len(await mails(books)) == 1


@pytest.mark.parametrize("payload", [{"approved": False, "comment": "Not now."}, None])
async def test_a_mail_that_is_not_allowed_is_not_sent_and_the_model_is_told(
    agui: AgUiClient, provider: FakeProvider, books: Books, payload: Any
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    given = dropped(asked) if payload is None else resolved(asked, payload)
    after = await answer(agui, turn, given)
    assert after.text == "The work is done."
    assert await mails(books) == []
    assert "did not allow" in told(provider)[0]
    [result] = after.of("TOOL_CALL_RESULT")
    assert result["metadata"]["callsheet"]["status"] == "rejected"
