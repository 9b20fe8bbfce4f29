"""Views of a run from several processes: each event once, whatever is lost on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.stream.replay import follow
from callsheet.stream.shared import SharedBroker
from callsheet.stream.watchers import FORGOTTEN_AFTER_S, Watchers
from tests.fakes.clock import HandClock
from tests.stream.hub import Hub, Post, until
from tests.stream.journal import Journal, entries

RUN = new_id()


@asynccontextmanager
async def process(
    hub: Hub,
    journal: Journal,
    *,
    is_here: bool = False,
    again_s: float = 30,
    post: Post | None = None,
) -> AsyncIterator[SharedBroker]:
    broker = SharedBroker(
        journal,
        hub,
        SystemClock(),
        lambda _: is_here,
        again_s=again_s,
        carrier=None if post is None else post.box(),
    )
    running = asyncio.ensure_future(broker.run())
    try:
        yield broker
    finally:
        running.cancel()
        await asyncio.wait([running])


async def seen(broker: SharedBroker, journal: Journal, after: int = 0) -> list[int]:
    view = await follow(RUN, broker, journal, is_new=False, after=after)
    return [entry.seq for batch in [b async for b in view] for entry in batch]


def commit(broker: SharedBroker, journal: Journal, last: int, *, end: bool = False) -> None:
    more = entries(len(journal.stored) + 1, last, end=end)
    journal.stored += more
    broker.publish(RUN, more)


async def test_a_viewer_elsewhere_is_woken_and_many_of_them_read_once() -> None:
    hub, journal = Hub(), Journal()
    async with process(hub, journal, is_here=True) as one, process(hub, journal) as two:
        commit(one, journal, 3)
        viewers = [asyncio.ensure_future(seen(two, journal)) for _ in range(10)]
        await until(lambda: "wrote" in hub.verbs())  # the answer to who begins to look
        await asyncio.sleep(0.02)
        reads = journal.reads
        commit(one, journal, 9)
        commit(one, journal, 10, end=True)
        async with asyncio.timeout(10):
            assert await asyncio.gather(*viewers) == [list(range(1, 11))] * 10
        assert journal.reads == reads + 1


async def test_a_run_that_nobody_elsewhere_looks_at_is_spoken_of_by_nobody() -> None:
    hub, journal = Hub(), Journal()
    async with process(hub, journal, is_here=True) as one, process(hub, journal):
        viewer = asyncio.ensure_future(seen(one, journal))
        await asyncio.sleep(0)
        for last in range(1, 20):
            commit(one, journal, last)
        commit(one, journal, 20, end=True)
        assert await viewer == list(range(1, 21))
        await asyncio.sleep(0.05)
    assert hub.said == []


async def test_what_is_written_in_a_burst_is_told_in_few_words() -> None:
    hub, journal = Hub(), Journal()
    async with process(hub, journal, is_here=True) as one, process(hub, journal) as two:
        viewer = asyncio.ensure_future(seen(two, journal))
        await until(lambda: bool(hub.said))
        for last in range(1, 200):
            commit(one, journal, last)
        commit(one, journal, 200, end=True)
        async with asyncio.timeout(10):
            assert await viewer == list(range(1, 201))
        assert hub.verbs().count("wrote") <= 3


@pytest.mark.parametrize("lost", ["every word", "the line"])
async def test_without_words_a_run_is_seen_by_looking(lost: str) -> None:
    hub, journal = Hub(lambda: lost == "every word"), Journal()
    if lost == "the line":
        hub.cut.set()
    async with (
        process(hub, journal, is_here=True) as one,
        process(hub, journal, again_s=0.02) as two,
    ):
        viewer = asyncio.ensure_future(seen(two, journal))
        await until(lambda: two.looked_at() == (RUN,))
        commit(one, journal, 4)
        commit(one, journal, 6, end=True)
        async with asyncio.timeout(10):
            assert await viewer == [1, 2, 3, 4, 5, 6]


async def test_a_run_that_moves_to_another_process_is_seen_on() -> None:
    hub, journal = Hub(), Journal()
    async with process(hub, journal, is_here=True) as one:
        homes = {"here": True}
        two = SharedBroker(journal, hub, SystemClock(), lambda _: homes["here"], again_s=0.02)
        running = asyncio.ensure_future(two.run())
        viewer = asyncio.ensure_future(seen(two, journal))
        await asyncio.sleep(0)
        commit(two, journal, 3)
        homes["here"] = False
        commit(one, journal, 5)
        commit(one, journal, 6, end=True)
        async with asyncio.timeout(10):
            assert await viewer == [1, 2, 3, 4, 5, 6]
        running.cancel()
        await asyncio.wait([running])


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    length=st.integers(1, 40),
    viewers=st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(0, 60)), max_size=5),
    lost=st.sampled_from([0.0, 0.3, 1.0]),
    carried=st.booleans(),
)
def test_each_viewer_sees_each_event_once_in_order(
    seed: int, length: int, viewers: list[tuple[bool, int, int]], lost: float, carried: bool
) -> None:
    chance = Random(seed)

    async def steps(most: int) -> None:
        for _ in range(chance.randint(0, most)):
            await asyncio.sleep(0)

    async def write(broker: SharedBroker, journal: Journal) -> None:
        while (done := len(journal.stored)) < length:
            last = min(length, done + chance.randint(1, 4))
            more = entries(done + 1, last, end=last == length)
            journal.stored += more
            await steps(3)
            if chance.random() > lost / 2:  # else it was stored and never shown
                broker.publish(RUN, more)
            await steps(4)

    async def look(broker: SharedBroker, journal: Journal, after: int, wait: int) -> list[int]:
        await steps(wait)
        return await seen(broker, journal, after)

    async def scene() -> None:
        hub, journal = Hub(lambda: chance.random() < lost), Journal()
        post = Post(chance, lost) if carried else None
        async with (
            process(hub, journal, is_here=False, again_s=0.005, post=post) as one,
            process(hub, journal, again_s=0.005, post=post) as two,
        ):
            async with asyncio.timeout(20), asyncio.TaskGroup() as group:
                tasks = [
                    (after, group.create_task(look(one if near else two, journal, after, wait)))
                    for near, after, wait in viewers
                    if after < length
                ]
                group.create_task(write(one, journal))
            for after, task in tasks:
                assert task.result() == list(range(after + 1, length + 1))

    asyncio.run(scene())


def test_who_says_no_more_that_it_looks_is_forgotten() -> None:
    clock = HandClock()
    watchers = Watchers(clock)
    assert watchers.may_have(RUN)
    clock.forward(FORGOTTEN_AFTER_S)
    assert not watchers.may_have(RUN)
    assert watchers.heard([RUN]) == {RUN}
    assert watchers.heard([RUN]) == set()
    clock.forward(FORGOTTEN_AFTER_S - 1)
    assert watchers.has(RUN)
    clock.forward(1)
    assert not watchers.has(RUN)
    watchers.tidy()
    watchers.deaf()
    assert watchers.may_have(RUN)
