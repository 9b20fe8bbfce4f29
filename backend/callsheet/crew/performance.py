"""A crew that was kicked off, and waits on stage for whom it is to play."""

from __future__ import annotations

import asyncio
from contextvars import Context

from crewai.events.stream_context import add_stream_sink
from crewai.utilities.env import _env_context_emitted

from callsheet.crew.cast import Cast
from callsheet.crew.shell import Role, Shell
from callsheet.crew.sink import LifecycleSink
from callsheet.turn.paused import Paused


class Performance:
    """One kickoff of one crew, in an asyncio task and a context of its own.

    CrewAI gets it as far as its agents' executors, which wait for their parts: what a kickoff
    takes can so be spent before there is a run. It is made inside a running loop, for one run;
    `context` is what the run's own work happens in, an empty one where there is no run yet.
    """

    def __init__(self, shell: Shell, name: str, context: Context) -> None:
        self._shell = shell
        self._sink = LifecycleSink(asyncio.get_running_loop())
        self._failure: Exception | Paused | None = None
        # Not of a run's group, because it begins before the run: `end` or `stop` ends it.
        self._task = asyncio.create_task(  # noqa: TID251
            self._kickoff(), name=f"crew:{name}", context=context
        )

    def role(self, task: str) -> Role:
        """The role of the task of that name."""
        return self._shell.roles[task]

    def announce(self, cast: Cast) -> None:
        """Tell `cast` what has happened on stage and what will."""
        self._sink.attach(cast)

    async def end(self) -> None:
        """Return when it is over; what failed inside is raised as it was.

        Cancelling the caller stops it, and waits until it has stopped.
        """
        try:
            await asyncio.wait((self._task,))
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait((self._task,))
            raise
        if self._failure is not None:
            raise self._failure
        if self._task.cancelled():
            raise asyncio.CancelledError

    @property
    def waits(self) -> bool:
        """Whether it is still to be had: a kickoff that failed ahead is none to perform in."""
        return not self._task.done()

    def stop(self) -> None:
        """Nobody will perform, or nobody any more."""
        self._task.cancel()
        # CrewAI leaves its `async_execution` tasks waiting when their kickoff is cancelled.
        for role in self._shell.roles.values():
            role.model.speak_no_more()

    async def _kickoff(self) -> None:
        _env_context_emitted.set(True)  # it would look for coding assistants, each time
        add_stream_sink(self._sink)
        try:
            await self._shell.crew.akickoff()
        except (Exception, Paused) as error:  # noqa: BLE001 - a border: raised again by `end`
            self._failure = error
