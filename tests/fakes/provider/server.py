"""Runs the fake provider beside a test, in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from tests.fakes.provider.protocol import Connection
from tests.fakes.provider.scenario import Scenario
from tests.fakes.provider.state import State
from tests.fakes.provider.stats import Stats

_KEPT_BODIES = 500


class FakeProvider:
    """An OpenAI-compatible endpoint that does what a test says. Use it as a context manager.

    `scenario` may be set at any time and holds for the requests that come after.
    """

    def __init__(self, scenario: Scenario | None = None) -> None:
        self._state = State(keep=_KEPT_BODIES)
        if scenario is not None:
            self._state.scenario = scenario
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="fake-provider", daemon=True)

    @property
    def base_url(self) -> str:
        """The address that a factory's `request_url` names."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    @property
    def scenario(self) -> Scenario:
        return self._state.scenario

    @scenario.setter
    def scenario(self, scenario: Scenario) -> None:
        _ = scenario.merged
        self._state.scenario = scenario

    def play(self, **fields: Any) -> None:
        """Answer like this from now on."""
        self.scenario = Scenario(**fields)

    @property
    def stats(self) -> Stats:
        return self._state.stats

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The request bodies since the last reset, oldest first."""
        return self._state.stats.bodies

    def reset(self) -> None:
        """Plain answers again, and nothing counted."""
        self._state.reset()

    def wait_until(self, seen: Callable[[Stats], bool], *, within_s: float = 5.0) -> Stats:
        """Block this thread until the counters are as wished; for code without a loop."""
        deadline = time.monotonic() + within_s
        while not seen(self.stats):
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen within {within_s} s: {self.stats}")
            time.sleep(0.005)
        return self.stats

    async def until(self, seen: Callable[[Stats], bool], *, within_s: float = 5.0) -> Stats:
        """Wait until the counters are as wished."""
        deadline = time.monotonic() + within_s
        while not seen(self.stats):
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen within {within_s} s: {self.stats}")
            await asyncio.sleep(0.005)
        return self.stats

    def release(self) -> None:
        """Let `held` answers go on."""
        self._loop.call_soon_threadsafe(self._state.released.set)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)

    def _run(self) -> None:
        loop = self._loop
        asyncio.set_event_loop(loop)
        server = loop.run_until_complete(
            loop.create_server(lambda: Connection(self._state), sock=self._socket)
        )
        try:
            loop.run_forever()
        finally:
            server.close()
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.wait(tasks)) if tasks else None
            loop.run_until_complete(asyncio.sleep(0))  # connections that are closing finish it
            loop.close()
