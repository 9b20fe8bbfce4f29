"""`POST /v1/runs/{id}/continue`: what is read of its body, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from callsheet.auth.principal import principal_named
from tests.api.fake import BOB, World
from tests.api.fake_records import a_run


@pytest.fixture
def run(world: World) -> UUID:
    """A run of Alice's that failed."""
    made = replace(a_run(principal_named("alice"), uuid4()), status="failed")
    world.runs.runs[made.id] = made
    return made.id


async def test_the_new_run_is_shown_as_its_client_spells_it(
    client: httpx.AsyncClient, world: World, run: UUID
) -> None:
    body = {"runId": "again", "protocolVersion": "1.0", "state": {"a": "\x00"}}
    answer = await client.post(f"/v1/runs/{run}/continue", json=body)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    [asked] = world.continuations.asked
    assert (asked.raw_run_id, asked.protocol, asked.state) == ("again", "1.0", {"a": "�"})
    assert answer.headers["x-run-id"] == str(asked.run_id)
    assert '"runId":"again"' in answer.text


async def test_an_empty_body_will_do(client: httpx.AsyncClient, world: World, run: UUID) -> None:
    answer = await client.post(
        f"/v1/runs/{run}/continue", headers={"content-type": "application/json"}
    )
    assert answer.status_code == 200
    [asked] = world.continuations.asked
    assert (asked.protocol, asked.raw_run_id) == ("0.x", str(asked.run_id))


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"runId": ""}, "runId"),
        ({"runId": 5}, "runId"),
        ({"runId": "x" * 201}, "runId"),
        ({"protocolVersion": 1}, "protocolVersion"),
        ({"messages": []}, "messages"),
    ],
)
async def test_a_wrong_body_names_its_field(
    client: httpx.AsyncClient, world: World, run: UUID, body: dict[str, Any], field: str
) -> None:
    answer = await client.post(f"/v1/runs/{run}/continue", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert world.continuations.asked == []


async def test_anothers_run_is_not_there(client: httpx.AsyncClient, run: UUID) -> None:
    answer = await client.post(f"/v1/runs/{run}/continue", json={}, headers=BOB)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
