"""Events to other processes through a real Redis; what is lost there is read from the journal."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.stream.redis import RedisCarrier
from callsheet.stream.replay import follow
from callsheet.stream.shared import SharedBroker
from tests.fakes.redis_server import redis_server
from tests.stream.hub import Hub, until
from tests.stream.journal import Journal, entries

pytestmark = pytest.mark.needs("redis")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory(prefix="cs-redis-") as folder,
        redis_server(Path(folder)) as url,
    ):
        yield url


@asynccontextmanager
async def process(
    hub: Hub, journal: Journal, url: str, *, is_here: bool = False, again_s: float = 30
) -> AsyncIterator[tuple[SharedBroker, RedisCarrier]]:
    carrier = RedisCarrier(url)
    broker = SharedBroker(
        journal,
        hub,
        SystemClock(),
        lambda _: is_here,
        again_s=again_s,
        carrier=carrier,
    )
    running = asyncio.ensure_future(broker.run())
    try:
        yield broker, carrier
    finally:
        running.cancel()
        await asyncio.wait([running])
        await carrier.close()


async def test_events_come_without_the_journal(address: str) -> None:
    run, hub, journal = new_id(), Hub(), Journal()
    async with (
        process(hub, journal, address, is_here=True) as (one, carrier),
        process(hub, journal, address) as (two, _),
    ):
        await until(lambda: carrier.send(new_id(), entries(1, 1)))

        def commit(last: int, *, end: bool = False) -> None:
            more = entries(len(journal.stored) + 1, last, end=end)
            journal.stored += more
            one.publish(run, more)

        commit(3)
        view = await follow(run, two, journal, is_new=False)
        got = [entry.seq for entry in await anext(view)]
        rest = asyncio.ensure_future(_seqs(view))
        await until(lambda: "wrote" in hub.verbs())
        await asyncio.sleep(0.2)  # its words and its first reads are through
        words, reads = len(hub.said), journal.reads
        for last in range(4, 40):
            commit(last)
            await asyncio.sleep(0)
        commit(40, end=True)
        async with asyncio.timeout(10):
            assert got + await rest == list(range(1, 41))
        assert (len(hub.said), journal.reads) == (words, reads)


@pytest.mark.parametrize("how", ["never there", "goes away"])
async def test_without_redis_every_event_is_seen_all_the_same(how: str) -> None:
    run, hub, journal = new_id(), Hub(), Journal()
    with tempfile.TemporaryDirectory(prefix="cs-redis-") as folder:
        server = redis_server(Path(folder))
        url = f"unix://{folder}/redis.sock" if how == "never there" else server.__enter__()
        async with (
            process(hub, journal, url, is_here=True, again_s=0.1) as (one, carrier),
            process(hub, journal, url, again_s=0.1) as (two, _),
        ):
            if how == "goes away":
                await until(lambda: carrier.send(new_id(), entries(1, 1)))
            view = asyncio.ensure_future(_seqs(await follow(run, two, journal, is_new=False)))
            await until(lambda: "watch" in hub.verbs())
            for last in range(1, 61):
                more = entries(last, last, end=last == 60)
                journal.stored += more
                one.publish(run, more)
                await asyncio.sleep(0.002)
                if last == 30 and how == "goes away":
                    await asyncio.to_thread(server.__exit__, None, None, None)
            async with asyncio.timeout(20):
                assert await view == list(range(1, 61))


async def _seqs(view: object) -> list[int]:
    return [entry.seq async for batch in view for entry in batch]  # type: ignore[attr-defined]
