"""What runs wait for, over HTTP; another user's is not there."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import httpx

from callsheet.auth.principal import principal_named
from tests.api.fake import BOB, World
from tests.interrupts.asked import QUESTION, answered

ASKED = replace(QUESTION, user_id=principal_named("alice").user_id)
SHOWN = {
    "id": str(ASKED.id),
    "runId": str(ASKED.run_id),
    "sessionId": str(ASKED.session_id),
    "reason": "question",
    "message": "Which colour?",
    "toolCallId": "call-1",
    "tool": "ask_user",
    "responseSchema": ASKED.response_schema,
    "detail": {},
    "status": "open",
    "createdAt": "2026-12-01T11:00:00Z",
    "expiresAt": "2026-12-01T13:00:00Z",
    "answer": None,
}


async def test_open_interrupts_are_listed_and_read(client: httpx.AsyncClient, world: World) -> None:
    world.interrupts.all = [ASKED]
    assert (await client.get("/v1/interrupts")).json() == {"items": [SHOWN], "nextCursor": None}
    found = await client.get("/v1/interrupts", params={"sessionId": str(ASKED.session_id)})
    assert found.json()["items"] == [SHOWN]
    other = await client.get("/v1/interrupts", params={"sessionId": "another"})
    assert other.json()["items"] == []
    assert (await client.get(f"/v1/interrupts/{ASKED.id}")).json() == SHOWN


async def test_an_answered_one_says_what_was_answered(
    client: httpx.AsyncClient, world: World
) -> None:
    record = world.interrupts.all = [answered(ASKED, "resolved", {"text": "red"})]
    shown = (await client.get(f"/v1/interrupts/{ASKED.id}")).json()
    assert shown["status"] == "answered"
    assert shown["answer"] == {
        "status": "resolved",
        "payload": {"text": "red"},
        "answeredAt": "2026-12-01T12:00:00Z",
        "answeredBy": str(ASKED.user_id),
        "runId": str(record[0].answered_run_id),
    }


async def test_what_is_not_there_or_not_the_callers(
    client: httpx.AsyncClient, world: World
) -> None:
    world.interrupts.all = [ASKED]
    assert (await client.get("/v1/interrupts", headers=BOB)).json()["items"] == []
    for path, headers in ((str(ASKED.id), BOB), (str(uuid4()), {}), ("first", {})):
        answer = await client.get(f"/v1/interrupts/{path}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
