"""How fast providers may be asked."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final, Protocol
from uuid import UUID

from callsheet.kit.deadline import Deadline

_AT_ONCE: Final = nullcontext()


class RunRates(Protocol):
    """Lets one run's calls begin no faster than their provider may be asked."""

    def turn(
        self, factory: str, tokens: int, deadline: Deadline
    ) -> AbstractAsyncContextManager[None]:
        """`async with`: waits for room for a call of that many tokens, opened inside the block.

        Raises:
            RateLimited: there would be no room before the deadline.
            Unavailable: that could not be found out.
        """
        ...


class Rates(Protocol):
    """The rates of all runs."""

    def of_run(self, user_id: UUID, run_id: UUID) -> RunRates:
        """Those of one run's calls."""
        ...


class NoRates:
    """Implements `Rates` and `RunRates`: nothing waits."""

    def of_run(self, user_id: UUID, run_id: UUID) -> NoRates:
        """The same for every run."""
        del user_id, run_id
        return self

    def turn(
        self, factory: str, tokens: int, deadline: Deadline
    ) -> AbstractAsyncContextManager[None]:
        """Now."""
        del factory, tokens, deadline
        return _AT_ONCE
