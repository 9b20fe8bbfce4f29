"""The one connection of this process to one server, kept by one task.

Everything that is wanted of it goes through a queue. The task opens a session when the first wish
comes, has calls done side by side, and opens another one after the session was lost. What a lost
session took with it is told to those who waited; what it had not begun is begun again in the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

from callsheet.kit.deadline import Deadline
from callsheet.kit.log import get_log
from callsheet.tools.mcp.faults import ConnectionLost, NotAsked, ServerDown
from callsheet.tools.mcp.flight import Flight
from callsheet.tools.mcp.protocol import Answer, Call, ListedTool, Open
from callsheet.tools.mcp.reason import reason_of
from callsheet.tools.mcp.server import McpServer
from callsheet.tools.mcp.wish import Changed, Doubt, HeardNews, Lost, Wish, lose, refuse

_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0
_PONG_WITHIN_S: Final = 10.0
_LAST_WORD_S: Final = 0.5
_REREAD_PAUSE_S: Final = 1.0
"""Between two readings of the list; a server may say without end that it has changed."""
_LATE: Final = "it did not answer in time"
_NOT_HERE: Final = "nothing of this process speaks to it now"

log = get_log(__name__)


class Connection:
    """`heard` is given the server's tools whenever they were read."""

    def __init__(
        self,
        server: McpServer,
        open_session: Open,
        heard: Callable[[Sequence[ListedTool]], Awaitable[None]],
    ) -> None:
        self._server = server
        self._open = open_session
        self._heard = heard
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._fails = 0
        self._not_before_s = 0.0
        self._runs = False
        self.is_open = False
        self.down: str | None = None
        """Why the last attempt to connect failed; None where none was made, or it is open."""

    async def look(self, deadline: Deadline) -> None:
        """Return once a session is open; raises ServerDown where there is none to be had."""
        if not self.is_open:
            await self._wish(None, deadline)

    async def call(self, call: Call, deadline: Deadline) -> Answer:
        """Have a tool called.

        Raises:
            ServerDown: the server was not asked.
            ConnectionLost: nobody knows what became of it.
            CallRefused: the server answered with an error.
            TimeoutError: the deadline passed; the server is told that nobody waits.
        """
        answer: Answer = await self._wish(call, deadline)
        return answer

    async def run(self) -> None:
        """Keep the connection until cancelled; it is opened when somebody wants it."""
        self._runs = True
        try:
            while True:
                wish = await self._queue.get()
                if isinstance(wish, Wish) and not wish.future.done():
                    await self._serve(wish)
        finally:
            self._runs = self.is_open = False
            while not self._queue.empty():
                refuse(self._queue.get_nowait(), _NOT_HERE)

    async def _wish(self, call: Call | None, deadline: Deadline) -> Any:
        if not self._runs:
            raise ServerDown(_NOT_HERE)
        if self._pauses():
            raise ServerDown(self.down or "")
        wish = Wish(asyncio.get_running_loop().create_future(), call)
        self._queue.put_nowait(wish)
        try:
            async with deadline.timeout():
                return await wish.future
        except TimeoutError:
            if wish.begun:
                raise
            raise ServerDown(_LATE) from None

    async def _serve(self, wish: Wish) -> None:
        """One session, from the wish that it is opened for to its end; and none while pausing."""
        if self._pauses():
            refuse(wish, self.down or "")
            return
        news, opened, within_s = HeardNews(self._queue), False, self._server.connect_timeout_s
        # What it takes to leave a server that hangs, nobody waits for.
        late = asyncio.get_running_loop().call_later(within_s, self._failed, _LATE, wish)
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(within_s):
                    session = await stack.enter_async_context(self._open(news))
                    tools = await session.tools()
                late.cancel()
                opened = True
                await self._opened(tools)
                await self._work(Flight(session, news), wish)
        except asyncio.CancelledError:
            refuse(wish, _NOT_HERE)
            raise
        except Exception as error:  # noqa: BLE001 - the border: whatever a server makes the SDK do
            if opened:
                self._ended(reason_of(error))
                refuse(wish, reason_of(error))
            elif not self._pauses():
                self._failed(reason_of(error), wish)
        finally:
            late.cancel()
            self.is_open = False

    def _pauses(self) -> bool:
        """Whether it was down only just now, and is not tried again yet."""
        return self.down is not None and asyncio.get_running_loop().time() < self._not_before_s

    async def _work(self, flight: Flight, wish: Any) -> None:
        """Until the session is lost."""
        try:
            async with asyncio.TaskGroup() as group:
                while not (isinstance(wish, Lost) and wish.news is flight.news):
                    self._begin(flight, wish, group)
                    wish = await self._queue.get()
                self._ended(wish.reason)
                if flight.tasks:  # each of them may still say better what became of it
                    await asyncio.wait(flight.tasks, timeout=_LAST_WORD_S)
                for task in flight.tasks:
                    task.cancel()
        finally:
            self.is_open = False

    def _begin(self, flight: Flight, wish: Any, group: asyncio.TaskGroup) -> None:
        if isinstance(wish, Changed) and wish.news is flight.news:
            flight.is_stale = True
            if not flight.rereads:
                flight.rereads = True
                flight.keep(group.create_task(self._reread(flight)))
        if isinstance(wish, Doubt) and wish.news is flight.news and not flight.pinged:
            flight.pinged = True
            flight.keep(group.create_task(self._ping(flight)))
        if not isinstance(wish, Wish) or wish.future.done():
            return
        if wish.call is None:
            wish.future.set_result(None)
            return
        task = group.create_task(self._do(flight, wish, wish.call))
        flight.keep(task)
        wish.future.add_done_callback(lambda it: task.cancel() if it.cancelled() else None)

    async def _do(self, flight: Flight, wish: Wish, call: Call) -> None:
        """One call. Whatever its end is, whoever waits for it hears of it."""
        wish.begun = True
        try:
            answer = await flight.session.call(call)
            if not wish.future.done():
                wish.future.set_result(answer)
        except NotAsked as error:
            flight.news.lost(str(error))
            wish.begun = False
            if not wish.again:
                wish.again = True
                self._queue.put_nowait(wish)
                return
            refuse(wish, str(error))
        except ConnectionLost:
            lose(wish)
            self._queue.put_nowait(Doubt(flight.news))
        except Exception as error:  # noqa: BLE001 - the border: it is the caller's
            if not wish.future.done():
                wish.future.set_exception(error)
        except asyncio.CancelledError:
            if not wish.future.cancelled():
                lose(wish)
            else:
                self._queue.put_nowait(Doubt(flight.news))
            raise

    async def _ping(self, flight: Flight) -> None:
        """Give up a server that is gone, or that does not answer and has nothing else to do."""
        try:
            async with asyncio.timeout(_PONG_WITHIN_S):
                await flight.session.ping()
        except NotAsked as error:
            flight.news.lost(str(error))
        except Exception:  # noqa: BLE001 - the border: what it says to a ping does not matter
            if flight.busy == 1:  # with this very question
                flight.news.lost("it does not answer any more")
        finally:
            flight.pinged = False

    async def _reread(self, flight: Flight) -> None:
        """The list again, and once more after a pause where it changed meanwhile."""
        while flight.is_stale:
            flight.is_stale = False
            try:
                async with asyncio.timeout(self._server.connect_timeout_s):
                    await self._heard(await flight.session.tools())
            except Exception as error:  # noqa: BLE001 - the border: the old list stays
                log.warning("mcp_list_not_read", server=self._server.name, reason=reason_of(error))
            flight.rests = True
            await asyncio.sleep(_REREAD_PAUSE_S)
            flight.rests = False
        flight.rereads = False

    async def _opened(self, tools: Sequence[ListedTool]) -> None:
        await self._heard(tools)
        self._fails, self.down, self.is_open = 0, None, True
        log.info("mcp_server_connected", server=self._server.name, tools=len(tools))

    def _ended(self, reason: str) -> None:
        self.is_open = False
        log.warning("mcp_server_lost", server=self._server.name, reason=reason)

    def _failed(self, reason: str, wish: Wish) -> None:
        pause = min(_FIRST_PAUSE_S * 2**self._fails, _LONGEST_PAUSE_S)
        self._fails = min(self._fails + 1, 10)
        self._not_before_s = asyncio.get_running_loop().time() + pause
        self.down = reason
        log.warning("mcp_server_down", server=self._server.name, reason=reason, again_s=pause)
        refuse(wish, reason)
