"""What is set for a session, over HTTP, and how it is found."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from callsheet.sessions.settings import SessionChange
from tests.api.fake import BOB, World
from tests.api.test_records import created


async def test_what_is_set_for_a_session_is_changed_one_by_one(
    client: httpx.AsyncClient, world: World
) -> None:
    path = f"/v1/sessions/{(await created(client, title='Sums'))['id']}"
    for edit, shown in (
        ({}, {"title": "Sums", "pinnedAt": None, "mode": "full"}),
        ({"pinned": True}, {"pinnedAt": "2026-11-30T12:00:00Z"}),
        ({"mode": "plan", "budget": "0.50"}, {"mode": "plan", "budget": "0.5", "title": "Sums"}),
        ({"persona": "  Rhyme,\n please.\0 "}, {"persona": "Rhyme,\n please.\ufffd"}),
        ({"persona": " \n "}, {"persona": None, "mode": "plan"}),
        (
            {"title": None, "pinned": None, "mode": None, "budget": None, "persona": None},
            {"title": None, "pinnedAt": None, "mode": "full", "budget": None, "persona": None},
        ),
    ):
        answer = await client.patch(path, json=edit)
        assert answer.status_code == 200
        assert answer.json() | shown == answer.json()
    assert world.sessions.changes[0] == SessionChange()
    assert world.sessions.changes[1] == SessionChange(pinned=True)


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        ({"title": " "}, "title"),
        ({"title": "x" * 256}, "title"),
        ({"persona": "x" * 2001}, "persona"),
        ({"persona": 7}, "persona"),
        ({"pinned": "yes"}, "pinned"),
        ({"mode": "half"}, "mode"),
        ({"budget": "-1"}, "budget"),
        ({"budget": "1000000"}, "budget"),
        ({"budget": "0.0000001"}, "budget"),
        ({"budget": 1}, "budget"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_an_edit_that_is_wrong_changes_nothing(
    client: httpx.AsyncClient, world: World, edit: dict[str, Any], field: str
) -> None:
    path = f"/v1/sessions/{(await created(client))['id']}"
    answer = await client.patch(path, json={"mode": "plan", **edit})
    assert answer.status_code == 422
    assert answer.json()["field"] == field
    assert world.sessions.changes == []


async def test_sessions_are_searched_by_words(client: httpx.AsyncClient) -> None:
    await created(client, title="Ferry to Oslo")
    await created(client, title="Sums")
    found = (await client.get("/v1/sessions", params={"q": "Oslo"})).json()
    assert [each["title"] for each in found["items"]] == ["Ferry to Oslo"]
    for wrong in ("", "x" * 201):
        answer = await client.get("/v1/sessions", params={"q": wrong})
        assert (answer.status_code, answer.json()["field"]) == (422, "q")


async def test_a_title_is_written_on_request(client: httpx.AsyncClient) -> None:
    path = f"/v1/sessions/{(await created(client, title='Sums'))['id']}"
    written = await client.post(f"{path}/title")
    assert (written.status_code, written.json()["title"]) == (200, "Written")
    assert (await client.get(path)).json() == written.json()
    assert (await client.post(f"{path}/title", headers=BOB)).status_code == 404
