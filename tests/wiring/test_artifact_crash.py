"""A file and its row when something breaks in between: nothing is lost, nothing is left."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from callsheet.db.transaction import Database, Tx
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.wiring.kept_artifacts import KeptArtifacts
from tests.journal.stage import USER
from tests.wiring.kept_files import LIMITS, Heard, Place, a_place


@pytest.fixture
async def place(database: Database, tmp_path: Path) -> Place:
    return await a_place(database, tmp_path)


class GoesAway:
    """A database whose connection is lost at the end of a transaction, committed or not."""

    def __init__(self, database: Database, *, committed: bool) -> None:
        self._database = database
        self._committed = committed

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        if self._committed:
            async with self._database.transaction() as tx:
                yield tx
            raise Unavailable("The database does not answer.")
        async with self._database.transaction() as tx:
            yield tx
            raise Unavailable("The database does not answer.")


@pytest.mark.parametrize("committed", [True, False])
async def test_where_nobody_knows_whether_it_is_stored_the_bytes_wait_for_the_sweep(
    place: Place, *, committed: bool
) -> None:
    away = cast(Database, GoesAway(place.database, committed=committed))
    tools = KeptArtifacts(lambda: away, place.folder.path.parent, LIMITS)
    heard = Heard()
    with pytest.raises(Unavailable):
        await tools.keep(place.call(tell=heard), "a.txt", b"a")
    assert (heard.shown, place.on_disk()) == ([], [b"a"])
    [waiting] = (place.folder.path / "incoming").iterdir()
    long_ago = (place.clock.now() - timedelta(hours=2)).timestamp()
    os.utime(waiting, (long_ago, long_ago))
    await place.sweep.sweep()
    assert not waiting.exists()
    assert place.on_disk() == ([b"a"] if committed else [])
    page = await place.service.of_session(USER, place.keys.session_id, PageRequest())
    assert len(page.items) == committed


async def test_what_a_crash_left_behind_is_put_right(place: Place) -> None:
    kept = await place.tools.keep(place.call(), "row.txt", b"has a row")
    _, path = await place.service.find(USER, kept.id)
    waiting = place.folder.path / "incoming" / str(kept.id)
    path.rename(waiting)
    orphan, fresh = new_id(), new_id()
    place.folder.write(orphan, b"has none")
    place.folder.write(fresh, b"is being written")
    long_ago = (place.clock.now() - timedelta(hours=2)).timestamp()
    for file in (waiting, waiting.with_name(str(orphan))):
        os.utime(file, (long_ago, long_ago))
    now = place.clock.now().timestamp()
    os.utime(waiting.with_name(str(fresh)), (now, now))
    assert (await place.service.find(USER, kept.id))[1] == waiting

    await place.sweep.sweep()

    assert (await place.service.find(USER, kept.id))[1] == path
    assert place.on_disk() == [b"has a row", b"is being written"]
