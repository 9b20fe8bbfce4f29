"""How fast providers may be asked."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final, Protocol

from callsheet.kit.deadline import Deadline

_AT_ONCE: Final = nullcontext()


class Rates(Protocol):
    """Lets calls begin no faster than their provider may be asked."""

    def turn(
        self, factory: str, tokens: int, deadline: Deadline
    ) -> AbstractAsyncContextManager[None]:
        """`async with`: waits for room for a call of that many tokens, opened inside the block.

        Raises:
            RateLimited: there would be no room before the deadline.
            Unavailable: that could not be found out.
        """
        ...


class NoRates:
    """Implements `Rates`: nothing waits."""

    def turn(
        self, factory: str, tokens: int, deadline: Deadline
    ) -> AbstractAsyncContextManager[None]:
        """Now."""
        del factory, tokens, deadline
        return _AT_ONCE
