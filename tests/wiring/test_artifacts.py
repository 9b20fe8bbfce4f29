"""Files that tools made: kept once, within limits, for their owner, until the session goes."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from callsheet.artifacts.store import delete_of_session
from callsheet.db.transaction import Database
from callsheet.journal.changes import RunKeys
from callsheet.kit.errors import NotFound, Unavailable
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.tools.artifact import NotKept
from tests.journal.stage import USER, gate, wish
from tests.sessions.rows import OTHER, change, rows
from tests.wiring.kept_files import LIMITS, Heard, Place, a_place


@pytest.fixture
async def place(database: Database, tmp_path: Path) -> Place:
    return await a_place(database, tmp_path)


async def test_a_file_is_stored_then_shown_and_found_by_its_owner(place: Place) -> None:
    heard = Heard()
    kept = await place.tools.keep(place.call(tell=heard), "../out/r.csv", b"a,b\n1,2\n", "x/y")
    assert (kept.name, kept.media_type, kept.size_bytes) == ("out/r.csv", "text/csv", 8)
    assert heard.shown == [
        (
            "callsheet.artifact",
            kept.id,
            {
                "id": str(kept.id),
                "name": "out/r.csv",
                "mediaType": "text/csv",
                "sizeBytes": 8,
                "url": f"/v1/artifacts/{kept.id}",
                "toolCallId": "call-1",
            },
        )
    ]
    record, path = await place.service.find(USER, kept.id)
    assert (record.name, record.run_id) == ("out/r.csv", place.keys.run_id)
    assert path.read_bytes() == b"a,b\n1,2\n"
    page = await place.service.of_session(USER, place.keys.session_id, PageRequest())
    assert page.items == (record,)


async def test_another_users_file_is_not_there(place: Place) -> None:
    kept = await place.tools.keep(place.call(), "a", b"a")
    for who, which in ((OTHER, kept.id), (USER, new_id())):
        with pytest.raises(NotFound):
            await place.service.find(who, which)
    with pytest.raises(NotFound):
        await place.service.of_session(OTHER, place.keys.session_id, PageRequest())


async def test_the_list_goes_from_new_to_old_in_pages(place: Place) -> None:
    kept = [await place.tools.keep(place.call(), f"{n}.txt", b"%d" % n) for n in range(3)]
    first = await place.service.of_session(USER, place.keys.session_id, PageRequest(limit=2))
    rest = await place.service.of_session(
        USER, place.keys.session_id, PageRequest(limit=2, cursor=first.next_cursor)
    )
    assert [each.id for each in (*first.items, *rest.items)] == [a.id for a in reversed(kept)]
    assert rest.next_cursor is None


async def test_a_call_that_is_made_again_keeps_nothing_twice(place: Place) -> None:
    one = await place.tools.keep(place.call(), "a.txt", b"same")
    heard = Heard()
    assert await place.tools.keep(place.call(tell=heard), "a.txt", b"same") == one
    assert heard.shown[0][1] == one.id
    other = await place.tools.keep(place.call("call-2"), "a.txt", b"same")
    assert other.id != one.id
    assert place.on_disk() == [b"same", b"same"]


async def test_what_is_too_much_is_not_kept_and_leaves_nothing(place: Place) -> None:
    with pytest.raises(NotKept, match=r"'big\.bin' has 101 bytes; at most 100 are kept"):
        await place.tools.keep(place.call(), "big.bin", b"x" * 101)
    await place.tools.keep(place.call(), "1", b"x" * 90)
    with pytest.raises(NotKept, match="more than 150"):
        await place.tools.keep(place.call(), "2", b"y" * 90)
    await place.tools.keep(place.call(), "3", b"z" * 50)
    await place.tools.keep(place.call(), "4", b"")
    with pytest.raises(NotKept, match="3 files already"):
        await place.tools.keep(place.call(), "5", b"v")
    assert place.on_disk() == [b"", b"x" * 90, b"z" * 50]


async def test_a_run_that_is_over_keeps_nothing_more(place: Place) -> None:
    await change(
        place.database, "UPDATE runs SET status = 'cancelled', finished_at = now() WHERE id = :id",
        id=place.keys.run_id,
    )  # fmt: skip
    with pytest.raises(NotKept, match="under way"):
        await place.tools.keep(place.call(), "late.txt", b"late")
    assert place.on_disk() == []


async def test_a_folder_that_cannot_be_written_is_told_as_storage(place: Place) -> None:
    place.folder.path.parent.mkdir(parents=True, exist_ok=True)
    place.folder.path.write_text("in the way")
    with pytest.raises(Unavailable, match="data folder"):
        await place.tools.keep(place.call(), "a", b"a")
    assert await rows(place.database, "SELECT * FROM artifacts") == []


async def test_bytes_that_are_elsewhere_are_told_as_such(place: Place) -> None:
    kept = await place.tools.keep(place.call(), "a", b"a")
    place.folder.remove(kept.id)
    with pytest.raises(Unavailable, match="not in this server's data folder"):
        await place.service.find(USER, kept.id)


async def test_the_bytes_go_a_day_after_the_session(place: Place) -> None:
    kept = await place.tools.keep(place.call(), "a", b"a")
    ticket = await gate(place.database).admit(wish(new_id()))
    stays = RunKeys(ticket.run_id, ticket.session_id, USER.user_id)
    another = Place(place.database, place.folder, stays)
    other = await another.tools.keep(another.call(), "b", b"b")
    async with place.database.transaction() as tx:
        await delete_of_session(tx, place.keys.session_id)
    with pytest.raises(NotFound):
        await place.service.find(USER, kept.id)
    await change(place.database, "UPDATE artifacts SET deleted_at = :at WHERE id = :id",
                 at=place.clock.now() - timedelta(hours=23), id=kept.id)  # fmt: skip
    await place.sweep.sweep()
    assert place.on_disk() == [b"a", b"b"]

    place.clock.forward(2 * 3600)
    await place.sweep.sweep()
    assert place.on_disk() == [b"b"]
    assert await rows(place.database, "SELECT id FROM artifacts") == [(other.id,)]


async def test_calls_at_the_same_time_do_not_pass_a_limit_together(place: Place) -> None:
    done = await asyncio.gather(
        *(place.tools.keep(place.call(f"c{n}"), "a.txt", b"%d" % n) for n in range(8)),
        return_exceptions=True,
    )
    kept = [each for each in done if not isinstance(each, BaseException)]
    assert len(kept) == LIMITS.session_count
    assert all(isinstance(each, NotKept) for each in done if each not in kept)
    assert len(place.on_disk()) == LIMITS.session_count
