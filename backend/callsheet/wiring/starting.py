"""What every way to begin a run has in common: its limits, its place, its first steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Final

from callsheet.admission.abandoned import Abandoned
from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.kit.errors import Unavailable
from callsheet.wiring.core import Core

_MOST_ABANDONED: Final = 3
_FIRST_STEPS: Final = 12
"""Rounds of the event loop, a few more than a run takes to its first commit."""


async def admitted(
    core: Core, request: AdmissionRequest, admit: Callable[[], Awaitable[Ticket]]
) -> Ticket:
    """The ticket that `admit` gives within the user's limits; an abandoned run is ended first.

    Unavailable where one abandoned run after the other is in the way: processes die too fast.
    """
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(core.turn_limits.let_in(request))
        ticket = await _ended_first(core, admit)
        with let_in(core, ticket):
            await stack.aclose()
    return ticket


async def _ended_first(core: Core, admit: Callable[[], Awaitable[Ticket]]) -> Ticket:
    for _ in range(_MOST_ABANDONED):
        try:
            return await admit()
        except Abandoned as abandoned:
            await core.recovery.end(abandoned.run_id, abandoned.lease)
    raise Unavailable("The session's run was lost again and again.", service="worker")


@contextmanager
def let_in(core: Core, ticket: Ticket) -> Iterator[None]:
    """A run that was let in and is not begun here is nobody's: it is ended by the next sweep."""
    try:
        yield
    except BaseException:
        if ticket.is_new:
            core.jobs.forget(ticket.run_id)
        raise


async def let_it_begin() -> None:
    """Let the run get to its first commit, before which there is nothing to show.

    Answering the client is done while the database works, not before it is asked to.
    """
    for _ in range(_FIRST_STEPS):
        await asyncio.sleep(0)
