"""What is asked of the servers, and what a block of turns gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

RELAY: Final = "relay"
PLAIN: Final = "plain CrewAI"
OURS: Final = "callsheet"
OFF: Final = "callsheet, nothing written"
UNBOOKED: Final = "callsheet, no ledger"


@dataclass(frozen=True, slots=True)
class Block:
    """`turns` per server of one round; a server that is not named sits the block out."""

    name: str
    at_once: int
    chunks: int
    turns: Mapping[str, int]
    scenario: Mapping[str, Any] = field(default_factory=dict)


ALONE: Final = Block("3 x 1 chunk, alone", 1, 1, {RELAY: 20, PLAIN: 8, OURS: 20, OFF: 20})
STREAM: Final = Block("3 x 100 chunks, alone", 1, 100, {RELAY: 12, PLAIN: 5, OURS: 12})
BUSY: Final = Block(
    "3 x 100 chunks, 16 at once",
    16,
    100,
    {RELAY: 48, PLAIN: 24, OURS: 48, OFF: 48, UNBOOKED: 48},
    {"vary": True},
)
PACED: Final = Block(
    "3 x 20 chunks 50 ms apart, 32 at once",
    32,
    20,
    {RELAY: 32, OURS: 32},
    {"gap_s": 0.05, "stamp": True},
)
BLOCKS: Final = (ALONE, STREAM, BUSY, PACED)


@dataclass(frozen=True, slots=True)
class Result:
    """One server's block. Times in ms, medians over its turns; CPU of the server process alone."""

    turn_ms: float
    first_ms: float
    lag_p95_ms: float
    turns_per_s: float
    cpu_ms: float
    max_open: int
    turns: int
    problems: tuple[str, ...]


@dataclass(slots=True)
class Sitting:
    """Everything that was measured. `rounds`: block name -> server -> one result per round."""

    rounds: list[dict[str, dict[str, Result]]] = field(default_factory=list)
    idle_mib: dict[str, float] = field(default_factory=dict)
    start_s: dict[str, float] = field(default_factory=dict)
    open_run_mib: dict[str, float] = field(default_factory=dict)
    postgres_cpu_ms: float = 0.0
    differences: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def ratios(self, block: Block, field_name: str, of: str, to: str) -> list[float]:
        """One server's figure to another's, round by round."""
        found = []
        for measured in self.rounds:
            results = measured.get(block.name, {})
            if of in results and to in results:
                base = getattr(results[to], field_name)
                found.append(getattr(results[of], field_name) / base if base else float("inf"))
        return found

    def values(self, block: Block, field_name: str, of: str) -> list[float]:
        """One server's figure, round by round."""
        return [
            float(getattr(measured[block.name][of], field_name))
            for measured in self.rounds
            if of in measured.get(block.name, {})
        ]
