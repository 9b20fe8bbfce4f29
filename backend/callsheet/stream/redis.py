"""Committed entries to viewers in other processes through Redis Streams: the extra `redis`.

One stream for each run that is looked at elsewhere, bounded and short-lived. It holds nothing that
the journal does not: whatever is not found there is read from the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final
from uuid import UUID

import msgspec
from redis import RedisError
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from callsheet.events.entry import Entry
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.stream.protocol import Entries

_KEY: Final = "callsheet:run:"
_NUDGE: Final = "callsheet:nudge:"
_MOST_BATCHES: Final = 1_000
"""That a stream holds; a reader that is farther behind reads the journal."""
_MOST_WAITING: Final = 5_000
"""Entries that are about to be sent; more go by way of the journal."""
_EXPIRES_S: Final = 600
_BLOCK_MS: Final = 5_000
_PATIENCE_S: Final = 2.0
_AWAY: Final = (RedisError, OSError, TimeoutError)

_encoder: Final = msgspec.json.Encoder()
_decoder: Final[msgspec.json.Decoder[Entries]] = msgspec.json.Decoder(Entries)


class RedisCarrier:
    """Implements `Carrier`. `run` must be running for anything to be carried."""

    def __init__(self, url: str) -> None:
        self._redis: Redis = Redis.from_url(
            url,
            socket_connect_timeout=_PATIENCE_S,
            socket_timeout=_BLOCK_MS / 1000 + _PATIENCE_S,
            retry=Retry(NoBackoff(), 0),  # the journal is there meanwhile
        )
        self._nudge = f"{_NUDGE}{new_id().hex}"
        self._waiting: dict[UUID, list[Entry]] = {}
        self._count = 0
        self._has_some = asyncio.Event()
        self._is_up = False
        self._watched: frozenset[UUID] = frozenset()
        self._is_nudged = asyncio.Event()

    def send(self, run_id: UUID, entries: Entries) -> bool:
        """Send them soon, in order; False where that cannot be, or not in time."""
        if not self._is_up or self._count + len(entries) > _MOST_WAITING:
            return False
        self._waiting.setdefault(run_id, []).extend(entries)
        self._count += len(entries)
        self._has_some.set()
        return True

    def watch(self, run_ids: Iterable[UUID]) -> None:
        """Receive what is sent of these runs, and of no others."""
        watched = frozenset(run_ids)
        if watched - self._watched:
            self._is_nudged.set()
        self._watched = watched

    async def run(
        self, take: Callable[[UUID, Entries], None], lose: Callable[[Iterable[UUID]], None]
    ) -> None:
        """Carry until cancelled; `lose` is told of runs whose entries were not sent.

        Raises:
            Unavailable: Redis is away.
        """
        away: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._send())
                group.create_task(self._receive(take))
                group.create_task(self._nudge_oneself())
        except* _AWAY as errors:
            away = errors
        finally:
            self._is_up = False
            lose(tuple(self._waiting))
            self._waiting.clear()
            self._count = 0
        if away is not None:
            raise Unavailable("Redis does not answer.", service="redis") from away

    async def close(self) -> None:
        """Close every connection."""
        await self._redis.aclose()

    async def _send(self) -> None:
        while True:
            await self._has_some.wait()
            self._has_some.clear()
            pipeline = self._redis.pipeline(transaction=False)
            sending = dict(self._waiting)
            for run_id, entries in sending.items():
                key = f"{_KEY}{run_id}"
                pipeline.xadd(key, {"e": _encoder.encode(entries)}, maxlen=_MOST_BATCHES)
                pipeline.expire(key, _EXPIRES_S)
            counts = {run_id: len(entries) for run_id, entries in sending.items()}
            await pipeline.execute()
            for run_id, count in counts.items():
                self._sent(run_id, count)

    def _sent(self, run_id: UUID, count: int) -> None:
        del self._waiting[run_id][:count]
        if not self._waiting[run_id]:
            del self._waiting[run_id]
        self._count -= count

    async def _receive(self, take: Callable[[UUID, Entries], None]) -> None:
        last: dict[UUID, Any] = {}
        nudged: Any = "0-0"
        await self._redis.delete(self._nudge)  # it answers
        self._is_up = True
        while True:
            last = await self._places(last)
            streams: dict[Any, Any] = {f"{_KEY}{run_id}": place for run_id, place in last.items()}
            streams[self._nudge] = nudged
            for key, batches in await self._redis.xread(streams, block=_BLOCK_MS):
                name = key.decode()
                if name == self._nudge:
                    nudged = batches[-1][0]
                    continue
                run_id = UUID(name.removeprefix(_KEY))
                last[run_id] = batches[-1][0]
                for _, fields in batches:
                    take(run_id, _decoder.decode(fields[b"e"]))

    async def _places(self, known: dict[UUID, Any]) -> dict[UUID, Any]:
        """Where to go on in each stream; in one that is new, behind what is there now."""
        places = {run_id: place for run_id, place in known.items() if run_id in self._watched}
        new = self._watched - places.keys()
        if new:
            pipeline = self._redis.pipeline(transaction=False)
            for run_id in new:
                pipeline.xrevrange(f"{_KEY}{run_id}", count=1)
            for run_id, found in zip(new, await pipeline.execute(), strict=True):
                places[run_id] = found[0][0] if found else "0-0"
        return places

    async def _nudge_oneself(self) -> None:
        """Wake the waiting read, so that it waits for a new run too."""
        while True:
            await self._is_nudged.wait()
            self._is_nudged.clear()
            await self._redis.xadd(self._nudge, {"n": b""}, maxlen=1, approximate=False)
            await self._redis.expire(self._nudge, _EXPIRES_S)
