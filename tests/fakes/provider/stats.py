"""What the fake provider saw and what it would put on the bill."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.provider.answer import Tokens


@dataclass(slots=True)
class Sum:
    """Tokens over many answers."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0

    def add(self, tokens: Tokens) -> None:
        self.prompt += tokens.prompt
        self.completion += tokens.completion
        self.cached += tokens.cached
        self.reasoning += tokens.reasoning


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The client left before the answer was over; `at_s` on the monotonic clock."""

    number: int
    at_s: float
    pieces_sent: int


@dataclass(slots=True)
class Stats:
    """Counted since the last reset.

    `reported`: tokens in usage objects that were sent. `billed`: what a provider would charge,
    reported or not: whole answers, and the pieces of those that were cut.
    `disconnected`: clients that left early. `faults`: how often a fault struck.
    """

    requests: int = 0
    open: int = 0
    max_open: int = 0
    finished: int = 0
    faults: int = 0
    reported: Sum = field(default_factory=Sum)
    billed: Sum = field(default_factory=Sum)
    disconnected: list[Disconnect] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
