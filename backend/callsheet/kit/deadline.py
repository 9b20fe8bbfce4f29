"""A moment by which work must end, handed down from run to stage to call to tool."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock, in seconds.

    A deadline is only ever narrowed: `within` never gives more time than is left.
    """

    at_s: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def left_s(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.at_s - time.monotonic())

    def passed(self) -> bool:
        """True once no time is left."""
        return time.monotonic() >= self.at_s

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and `seconds` from now."""
        return Deadline(min(self.at_s, time.monotonic() + seconds))

    def timeout(self) -> asyncio.Timeout:
        """An `async with` block that raises TimeoutError at this deadline."""
        loop = asyncio.get_running_loop()
        return asyncio.timeout_at(loop.time() + self.left_s())
