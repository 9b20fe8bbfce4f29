"""A server that says without end that its tools have changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from callsheet.kit.deadline import Deadline
from callsheet.tools.mcp.connection import Connection
from callsheet.tools.mcp.protocol import Answer, Call, ListedTool, News, Session
from callsheet.tools.mcp.server import McpServer, Program


class Restless:
    """Each reading of its list is answered with a thousand changes of it."""

    def __init__(self, news: News) -> None:
        self._news = news
        self.reads = self.at_once = self.most_at_once = 0

    async def tools(self) -> Sequence[ListedTool]:
        self.reads += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        for _ in range(1000):
            self._news.changed()
            await asyncio.sleep(0)
        self.at_once -= 1
        return []

    async def ping(self) -> None:
        """It answers."""

    async def call(self, call: Call) -> Answer:
        return Answer([{"type": "text", "text": call.tool}], None, is_error=False)


async def test_changes_without_end_are_read_one_reading_at_a_time_and_calls_go_on() -> None:
    sessions: list[Restless] = []

    @asynccontextmanager
    async def opened(news: News) -> AsyncIterator[Session]:
        sessions.append(Restless(news))
        yield sessions[0]

    async def heard(tools: Sequence[ListedTool]) -> None:
        assert not tools

    server = McpServer("restless", Program("none"), ("*",))
    connection = Connection(server, opened, heard)
    task = asyncio.create_task(connection.run())
    await asyncio.sleep(0)
    for _ in range(3):
        await connection.call(Call("greet"), Deadline.after(20))
        await asyncio.sleep(0.1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert sessions[0].most_at_once == 1
    assert 1 < sessions[0].reads < 100
