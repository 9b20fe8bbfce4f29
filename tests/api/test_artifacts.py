"""Files over HTTP: theirs alone, never a page of ours, in parts where that is asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from callsheet.api.file_answer import disposition
from callsheet.artifacts.artifact import ArtifactRecord
from callsheet.auth.principal import principal_named
from callsheet.kit.ids import new_id
from tests.api.fake import BOB, ORIGIN, World

DATA = b"0123456789"


async def put(world: World, tmp_path: Path, name: str, media_type: str) -> tuple[UUID, UUID]:
    """An artifact of alice; its session and its id."""
    alice = principal_named("alice")
    session = await world.sessions.create(alice, None, None)
    record = ArtifactRecord(
        id=new_id(),
        session_id=session.id,
        run_id=new_id(),
        tool_call_id="call-1",
        name=name,
        media_type=media_type,
        size_bytes=len(DATA),
        sha256="ab" * 32,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    path = tmp_path / str(record.id)
    path.write_bytes(DATA)
    world.artifacts.all[record.id] = (alice.user_id, record, path)
    return session.id, record.id


@pytest.mark.parametrize(
    ("media_type", "kind", "served"),
    [
        ("image/png", "inline", "image/png"),
        ("image/jpeg", "inline", "image/jpeg"),
        ("image/gif", "inline", "image/gif"),
        ("image/webp", "inline", "image/webp"),
        ("image/svg+xml", "attachment", "image/svg+xml"),
        ("text/html", "attachment", "text/html; charset=utf-8"),
        ("application/pdf", "attachment", "application/pdf"),
        ("text/csv", "attachment", "text/csv; charset=utf-8"),
        ("application/octet-stream", "attachment", "application/octet-stream"),
    ],
)
async def test_only_plain_pictures_are_shown_in_place(
    client: httpx.AsyncClient, world: World, tmp_path: Path, media_type: str, kind: str, served: str
) -> None:
    _, id_ = await put(world, tmp_path, "out/a.bin", media_type)
    answer = await client.get(f"/v1/artifacts/{id_}", headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.content) == (200, DATA)
    head = answer.headers
    assert head["content-type"] == served
    assert head["content-disposition"] == f'{kind}; filename="a.bin"'
    assert head["content-length"] == "10"
    assert head["x-content-type-options"] == "nosniff"
    assert head["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert head["cache-control"] == "private, no-cache"
    assert head["access-control-allow-origin"] == ORIGIN


async def test_another_users_file_is_not_there(
    client: httpx.AsyncClient, world: World, tmp_path: Path
) -> None:
    session, id_ = await put(world, tmp_path, "a", "text/plain")
    for path in (f"artifacts/{id_}", f"sessions/{session}/artifacts"):
        answer = await client.get(f"/v1/{path}", headers=BOB)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    for path in (f"artifacts/{new_id()}", "artifacts/..%2F..%2Fetc%2Fpasswd", "artifacts/x"):
        assert (await client.get(f"/v1/{path}")).status_code == 404
    client.headers.pop("Authorization")
    assert (await client.get(f"/v1/artifacts/{id_}")).status_code == 401


async def test_what_is_there_already_is_not_sent_again(
    client: httpx.AsyncClient, world: World, tmp_path: Path
) -> None:
    _, id_ = await put(world, tmp_path, "a", "text/plain")
    first = await client.get(f"/v1/artifacts/{id_}")
    tag = first.headers["etag"]
    again = await client.get(f"/v1/artifacts/{id_}", headers={"If-None-Match": f'"x", W/{tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    theirs = await client.get(f"/v1/artifacts/{id_}", headers={**BOB, "If-None-Match": tag})
    assert theirs.status_code == 404


@pytest.mark.parametrize(
    ("asked", "part", "says"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=-3", b"789", "bytes 7-9/10"),
        ("bytes=0-99", DATA, "bytes 0-9/10"),
        ("bytes=-99", DATA, "bytes 0-9/10"),
        ("bytes=4-2", DATA, None),
        ("bytes=10-", DATA, None),
        ("bytes=-0", DATA, None),
        ("bytes=-", DATA, None),
        ("bytes=0-1,3-4", DATA, None),
        ("lines=1-2", DATA, None),
        ("bytes=x-y", DATA, None),
    ],
)
async def test_a_part_is_sent_where_one_part_is_asked_for(
    client: httpx.AsyncClient,
    world: World,
    tmp_path: Path,
    asked: str,
    part: bytes,
    says: str | None,
) -> None:
    _, id_ = await put(world, tmp_path, "a", "text/plain")
    answer = await client.get(f"/v1/artifacts/{id_}", headers={"Range": asked})
    assert answer.content == part
    assert answer.headers.get("content-range") == says
    assert answer.headers["content-length"] == str(len(part))
    assert answer.status_code == (200 if says is None else 206)


async def test_a_part_of_another_version_is_the_whole(
    client: httpx.AsyncClient, world: World, tmp_path: Path
) -> None:
    _, id_ = await put(world, tmp_path, "a", "text/plain")
    tag = (await client.get(f"/v1/artifacts/{id_}")).headers["etag"]
    for condition, content in ((tag, b"01"), ('"other"', DATA)):
        answer = await client.get(
            f"/v1/artifacts/{id_}", headers={"Range": "bytes=0-1", "If-Range": condition}
        )
        assert answer.content == content


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b.csv", 'attachment; filename="a b.csv"'),
        ("out/deep/r.txt", 'attachment; filename="r.txt"'),
        ("图.png", "attachment; filename=\"_.png\"; filename*=UTF-8''%E5%9B%BE.png"),
        ('a"b\\c%20.txt',
         "attachment; filename=\"a_b_c_20.txt\"; filename*=UTF-8''a%22b%5Cc%2520.txt"),
        ("a;b'.txt", 'attachment; filename="a;b\'.txt"'),
    ],
)  # fmt: skip
def test_a_name_is_spelled_for_old_and_new_clients(name: str, header: str) -> None:
    assert disposition("attachment", name) == header


async def test_the_list_says_what_there_is_and_where(
    client: httpx.AsyncClient, world: World, tmp_path: Path
) -> None:
    session, id_ = await put(world, tmp_path, "out/a.png", "image/png")
    answer = await client.get(f"/v1/sessions/{session}/artifacts")
    [item] = answer.json()["items"]
    assert answer.json()["nextCursor"] is None
    assert (item["id"], item["name"], item["sizeBytes"]) == (str(id_), "out/a.png", 10)
    assert item["url"] == f"/v1/artifacts/{id_}"
    assert (await client.get(item["url"])).content == DATA
