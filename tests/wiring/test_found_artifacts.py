"""A tool finds the files of its own session."""

from __future__ import annotations

from dataclasses import replace

from callsheet.kit.ids import new_id
from tests.sessions.rows import OTHER
from tests.wiring.kept_files import Place
from tests.wiring.test_artifacts import place

__all__ = ["place"]


async def test_a_tool_finds_the_session_s_newest_file_of_a_name_or_the_one_of_an_id(
    place: Place,
) -> None:
    old = await place.tools.keep(place.call("call-1"), "out/r.csv", b"old")
    new = await place.tools.keep(place.call("call-2"), "out/r.csv", b"new")

    async def read(reference: str) -> bytes | None:
        found = await place.tools.find(place.call("call-3"), reference)
        return None if found is None else await found[1]()

    assert await read("out/r.csv") == b"new"
    assert await read(str(old.id)) == b"old"
    assert await read("r.csv") is None
    place.folder.remove(new.id)
    assert await read(str(new.id)) is None


async def test_a_tool_finds_no_file_of_others(place: Place) -> None:
    kept = await place.tools.keep(place.call(), "a.csv", b"a")
    for call in (
        replace(place.call(), user_id=OTHER.user_id),
        replace(place.call(), session_id=new_id()),
    ):
        assert await place.tools.find(call, str(kept.id)) is None
        assert await place.tools.find(call, "a.csv") is None
