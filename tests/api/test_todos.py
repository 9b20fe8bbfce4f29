"""A session's todo list over HTTP."""

from __future__ import annotations

from dataclasses import replace

import httpx

from callsheet.auth.principal import principal_named
from tests.api.fake import BOB, World
from tests.todos.lists import todo


async def test_the_list_is_its_owners(client: httpx.AsyncClient, world: World) -> None:
    session = await world.sessions.create(principal_named("alice"), None, None)
    path = f"/v1/sessions/{session.id}/todo-list"
    none = await client.get(path)
    assert (none.status_code, none.content) == (204, b"")
    made = replace(todo("xlook", ">write"), session_id=session.id, revision=3)
    world.todos.of[session.id] = made
    found = await client.get(path)
    assert found.status_code == 200
    assert found.headers["cache-control"] == "no-store"
    assert found.json() == {
        "id": str(made.id),
        "sessionId": str(session.id),
        "runId": str(made.run_id),
        "title": "Report",
        "revision": 3,
        "status": "active",
        "items": [
            {"id": str(made.items[0].id), "label": "look", "status": "completed"},
            {"id": str(made.items[1].id), "label": "write", "status": "running"},
        ],
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:00:00Z",
    }
    for who in (path, f"/v1/sessions/{made.id}/todo-list"):
        answer = await client.get(who, headers=BOB)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
