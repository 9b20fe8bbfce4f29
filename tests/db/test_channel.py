"""Words between processes: heard at once by who listens, and the end of the line is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import make_url, text

from callsheet.db.channel import Channel
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import Unavailable


async def test_a_word_is_heard_by_all_who_listen_and_by_no_other_channel(
    database: Database, database_url: str
) -> None:
    channel = Channel(DatabaseOptions(database_url), "one")
    other = Channel(DatabaseOptions(database_url), "other")
    heard: list[list[str]] = [[], [], []]
    ready = [asyncio.Event() for _ in heard]
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(line.listen(words.append, event.set))
            for line, words, event in zip((channel, channel, other), heard, ready, strict=True)
        ]
        for event in ready:
            await event.wait()
        await channel.send(database, "stop 世界")
        while not (heard[0] and heard[1]):
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
    assert heard == [["stop 世界"], ["stop 世界"], []]


async def test_a_line_that_is_cut_says_so(database: Database, database_url: str) -> None:
    ready = asyncio.Event()
    channel = Channel(DatabaseOptions(database_url), "one")
    listening = asyncio.ensure_future(channel.listen(lambda _: None, ready.set))
    async with asyncio.timeout(20):
        await ready.wait()
        async with database.transaction() as tx:
            await tx.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
                )
            )
        with pytest.raises(Unavailable):
            await listening


@asynccontextmanager
async def relayed(database_url: str, silent: asyncio.Event) -> AsyncIterator[str]:
    """The same database behind a line that passes nothing on, and stays, once it is `silent`."""
    url = make_url(database_url)
    folder = url.query.get("host")
    port = url.port or 5432

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                if not silent.is_set():
                    sink.write(data)
        finally:
            sink.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if folder:
            there = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{port}")
        else:
            there = await asyncio.open_connection(url.host, port)
        await asyncio.gather(pump(reader, there[1]), pump(there[0], writer), return_exceptions=True)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        own = url.set(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
        query = {key: value for key, value in url.query.items() if key != "host"}
        yield own.set(query=query).render_as_string(hide_password=False)


async def test_a_line_that_has_gone_silent_is_found_out(database_url: str) -> None:
    silent, ready = asyncio.Event(), asyncio.Event()
    async with asyncio.timeout(30), relayed(database_url, silent) as url:
        channel = Channel(DatabaseOptions(url, connect_timeout_s=1), "one", ask_every_s=0.01)
        listening = asyncio.ensure_future(channel.listen(lambda _: None, ready.set))
        await ready.wait()
        silent.set()
        with pytest.raises(Unavailable):
            await listening


async def test_a_server_that_is_away_says_so(database_url: str) -> None:
    nowhere = DatabaseOptions("postgresql://nobody@127.0.0.1:9/none")
    with pytest.raises(Unavailable):
        await Channel(nowhere, "one").listen(lambda _: None, lambda: None)
