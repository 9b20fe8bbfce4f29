"""A view of a run: stored events, then live ones, each once, whatever the timing."""

from __future__ import annotations

import asyncio

import pytest

from callsheet.events.entry import Entry
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.stream.local import LocalBroker
from callsheet.stream.replay import follow
from callsheet.stream.subscription import MOST_WAITING
from tests.stream.journal import Journal, entries

RUN = new_id()


async def seen(broker: LocalBroker, journal: Journal, *, is_new: bool, after: int = 0) -> list[int]:
    view = await follow(RUN, broker, journal, is_new=is_new, after=after)
    return [entry.seq for batch in [b async for b in view] for entry in batch]


async def test_a_new_run_is_seen_live_without_reading_the_journal() -> None:
    broker, journal = LocalBroker(), Journal()
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(seen(broker, journal, is_new=True))
        await asyncio.sleep(0)
        broker.publish(RUN, entries(1, 3))
        broker.publish(RUN, entries(4, 5, end=True))
    assert viewer.result() == [1, 2, 3, 4, 5]
    assert journal.reads == 0


async def test_what_is_stored_and_what_comes_meanwhile_is_seen_once() -> None:
    broker, journal = LocalBroker(), Journal(*entries(1, 3))
    view = await follow(RUN, broker, journal, is_new=False)
    broker.publish(RUN, entries(3, 4))  # 3 is in the journal as well
    got = [entry.seq for entry in await anext(view)]
    broker.publish(RUN, entries(5, 6, end=True))
    async for batch in view:
        got += [entry.seq for entry in batch]
    assert got == [1, 2, 3, 4, 5, 6]


async def test_a_finished_run_is_seen_from_any_event_on() -> None:
    journal = Journal(*entries(1, 6, end=True))
    assert await seen(LocalBroker(), journal, is_new=False, after=4) == [5, 6]


async def test_a_viewer_that_falls_behind_goes_on_from_the_journal() -> None:
    broker, journal = LocalBroker(), Journal()
    view = await follow(RUN, broker, journal, is_new=True)
    broker.publish(RUN, entries(1, 2))
    got = [entry.seq for entry in await anext(view)]
    flood = entries(3, 3 + MOST_WAITING)
    journal.stored += [*entries(1, 2), *flood]
    broker.publish(RUN, flood)
    got += [entry.seq for entry in await anext(view)]
    last = flood[-1].seq
    broker.publish(RUN, entries(last + 1, last + 1, end=True))
    journal.stored += entries(last + 1, last + 1, end=True)
    async for batch in view:
        got += [entry.seq for entry in batch]
    assert got == list(range(1, last + 2))


async def test_a_viewer_that_leaves_is_forgotten() -> None:
    broker, journal = LocalBroker(), Journal()
    view = await follow(RUN, broker, journal, is_new=True)
    broker.publish(RUN, entries(1, 1))
    await anext(view)
    await view.aclose()
    assert broker.viewers(RUN) == 0


async def test_a_view_that_nobody_reads_is_forgotten_with_its_run() -> None:
    broker = LocalBroker()
    await follow(RUN, broker, Journal(), is_new=True)
    broker.publish(RUN, entries(1, 2, end=True))
    assert broker.viewers(RUN) == 0


async def test_what_was_stored_but_not_published_is_read_from_the_journal() -> None:
    broker, journal = LocalBroker(), Journal()
    view = await follow(RUN, broker, journal, is_new=True)
    broker.publish(RUN, entries(1, 2))
    got = [entry.seq for entry in await anext(view)]
    journal.stored = list(entries(1, 6, end=True))
    broker.publish(RUN, entries(5, 6, end=True))
    async for batch in view:
        got += [entry.seq for entry in batch]
    assert got == [1, 2, 3, 4, 5, 6]


async def test_viewers_of_a_run_that_cannot_be_stored_are_told_after_what_was() -> None:
    broker, journal = LocalBroker(), Journal()
    view = await follow(RUN, broker, journal, is_new=True)
    broker.publish(RUN, entries(1, 2))
    broker.break_off(RUN, Unavailable("The journal is away."))
    assert [entry.seq for entry in await anext(view)] == [1, 2]
    with pytest.raises(Unavailable):
        await anext(view)
    assert broker.viewers(RUN) == 0


async def test_who_fell_behind_when_no_more_can_be_stored_sees_what_was_and_is_told() -> None:
    broker, journal = LocalBroker(), Journal()
    view = await follow(RUN, broker, journal, is_new=True)
    flood = entries(1, 1 + MOST_WAITING)
    journal.stored += flood
    broker.publish(RUN, flood)
    broker.break_off(RUN, Unavailable("The journal is away."))
    got: list[Entry] = []
    while len(got) < len(flood):
        got += await anext(view)
    with pytest.raises(Unavailable):
        await asyncio.wait_for(anext(view), 5)
    assert got == list(flood)


async def test_an_end_that_is_stored_is_seen_although_it_was_broken_off() -> None:
    broker, journal = LocalBroker(), Journal()
    view = await follow(RUN, broker, journal, is_new=True)
    journal.stored += entries(1, 3, end=True)
    broker.break_off(RUN, Unavailable("The journal was away."))
    assert [entry.seq for batch in [b async for b in view] for entry in batch] == [1, 2, 3]


async def test_a_view_that_is_ended_without_a_reason_just_ends() -> None:
    broker, journal = LocalBroker(), Journal(*entries(1, 2))
    view = await follow(RUN, broker, journal, is_new=False)
    assert broker.looked_at() == (RUN,)
    assert [entry.seq for entry in await anext(view)] == [1, 2]
    broker.break_off(RUN, None)
    async with asyncio.timeout(5):
        assert [batch async for batch in view] == []
    assert broker.looked_at() == ()
