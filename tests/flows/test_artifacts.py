"""Files of a session through HTTP: they outlive the server, are their owner's, and go with it."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

from callsheet.artifacts.folder import ArtifactFolder
from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.deployment import Deployment
from tests.fixtures.app import Serve

KEYS = {"auth": {"api_keys": ["ann:key-of-ann-0123456789", "bob:key-of-bob-0123456789"]}}
ANN = {"Authorization": "Bearer key-of-ann-0123456789"}
BOB = {"Authorization": "Bearer key-of-bob-0123456789"}
PAGE = b"<!doctype html><script>alert(document.domain)</script>"


async def made(books: Books, data: Path, run_id: str) -> UUID:
    """A page that a tool of the run made."""
    artifact_id = uuid4()
    await books.rows(
        "INSERT INTO artifacts (id, session_id, user_id, run_id, tool_call_id, name, media_type, "
        "size_bytes, sha256) SELECT $1, session_id, user_id, id, 'call', 'out/p.html', "
        "'text/html', $2, 'ab' FROM runs WHERE id = $3::uuid",
        artifact_id, len(PAGE), run_id,
    )  # fmt: skip
    folder = ArtifactFolder(data)
    folder.write(artifact_id, PAGE)
    folder.settle(artifact_id)
    return artifact_id


async def asked(agui: AgUiClient) -> tuple[str, str]:
    """A run of ann's: its session and its id."""
    agui.http.headers.update(ANN)
    turn = await agui.ask("Hello")
    return turn.headers["x-session-id"], turn.headers["x-run-id"]


async def test_a_file_outlives_the_server_and_is_its_owners_alone(
    deployment: Deployment, serve: Serve
) -> None:
    data = deployment.folder / "data"
    async with serve(deployment, **KEYS) as (agui, books):
        session, run_id = await asked(agui)
        artifact_id = await made(books, data, run_id)
    async with serve(deployment, **KEYS) as (agui, books):
        listed = await agui.http.get(f"/v1/sessions/{session}/artifacts", headers=ANN)
        [item] = listed.json()["items"]
        assert (item["id"], item["name"]) == (str(artifact_id), "out/p.html")
        answer = await agui.http.get(item["url"], headers=ANN)
        assert answer.content == PAGE
        assert answer.headers["content-disposition"] == 'attachment; filename="p.html"'
        assert answer.headers["content-security-policy"].startswith("sandbox;")
        part = await agui.http.get(item["url"], headers={**ANN, "Range": "bytes=2-8"})
        assert (part.status_code, part.content) == (206, b"doctype")
        for headers, status in ((BOB, 404), ({}, 401)):
            assert (await agui.http.get(item["url"], headers=headers)).status_code == status
        ArtifactFolder(data).remove(artifact_id)
        gone = await agui.http.get(item["url"], headers=ANN)
        assert (gone.status_code, gone.json()["service"]) == (503, "storage")


async def test_with_its_session_it_is_not_there_any_more(
    deployment: Deployment, serve: Serve
) -> None:
    async with serve(deployment, **KEYS) as (agui, books):
        session, run_id = await asked(agui)
        artifact_id = await made(books, deployment.folder / "data", run_id)
        assert (await agui.http.get(f"/v1/artifacts/{artifact_id}")).status_code == 200
        assert (await agui.http.delete(f"/v1/sessions/{session}")).status_code == 204
        assert (await agui.http.get(f"/v1/artifacts/{artifact_id}")).status_code == 404
        listed = await agui.http.get(f"/v1/sessions/{session}/artifacts")
        assert listed.status_code == 404
        assert await books.one("SELECT deleted_at IS NOT NULL FROM artifacts") is True
