"""The table: what was measured, what must hold, what would be good."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bench.blocks import (
    ALONE,
    BLOCKS,
    BUSY,
    OFF,
    OURS,
    PACED,
    PLAIN,
    RELAY,
    STREAM,
    UNBOOKED,
    Block,
    Result,
    Sitting,
)

Better = Literal["less", "more"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `values` are one per round."""

    what: str
    values: tuple[float, ...]
    must: float
    stretch: float
    better: Better = "less"

    @property
    def median(self) -> float:
        return statistics.median(self.values) if self.values else math.nan

    @property
    def holds(self) -> bool:
        """The median keeps the must; a row without a value does not."""
        return self._keeps(self.must)

    @property
    def verdict(self) -> str:
        if not self.holds:
            return "MISSED"
        return "stretch" if self._keeps(self.stretch) else "ok"

    def _keeps(self, limit: float) -> bool:
        return self.median <= limit if self.better == "less" else self.median >= limit


@dataclass(frozen=True, slots=True)
class Goal:
    """A ratio of ours to another server's figure in one block."""

    what: str
    block: Block
    field: str
    to: str
    must: float
    stretch: float
    better: Better = "less"

    def row(self, sitting: Sitting) -> Row:
        values = tuple(sitting.ratios(self.block, self.field, OURS, self.to))
        return Row(self.what, values, self.must, self.stretch, self.better)


_SPEED: Final = (
    Goal("3 x 1 chunk alone: time, to plain CrewAI", ALONE, "turn_ms", PLAIN, 0.65, 0.45),
    Goal("  its CPU, to plain CrewAI", ALONE, "cpu_ms", PLAIN, 0.70, 0.50),
    Goal("3 x 100 alone: turns/s, to plain CrewAI", STREAM, "turns_per_s", PLAIN, 2.5, 4, "more"),
    Goal("  to a bare relay", STREAM, "turns_per_s", RELAY, 0.45, 0.8, "more"),
    Goal("3 x 100, 16 at once: turns/s, to plain CrewAI", BUSY, "turns_per_s", PLAIN, 3, 5, "more"),
    Goal("  to a bare relay", BUSY, "turns_per_s", RELAY, 0.45, 0.8, "more"),
    Goal("first model delta of any kind: to plain CrewAI", ALONE, "first_ms", PLAIN, 0.50, 0.35),
    Goal("  to a bare relay", ALONE, "first_ms", RELAY, 4, 2.5),
)
_DELAY: Final = Goal("  delta delay p95, to a bare relay", PACED, "lag_p95_ms", RELAY, 3, 1.5)
_WRITTEN: Final = Goal("journal and ledger on to off: CPU a turn", BUSY, "cpu_ms", OFF, 1.15, 1.05)
_BOOKED: Final = Goal("ledger on to off: CPU a turn", BUSY, "cpu_ms", UNBOOKED, 1.10, 1.03)


def rows(sitting: Sitting) -> list[Row]:
    """Every goal with what was measured for it."""
    broken = [problem for measured in sitting.rounds for problem in _problems(measured)]
    faults = len(broken) + len(sitting.problems) + len(sitting.differences)
    idle = _quotient(sitting.idle_mib.get(OURS), sitting.idle_mib.get(PLAIN))
    open_at_once = tuple(sitting.values(PACED, "max_open", OURS))
    return [
        *(goal.row(sitting) for goal in _SPEED),
        Row("32 paced turns: model calls open at once", open_at_once, 32, 32, "more"),
        _DELAY.row(sitting),
        Row("memory of an open run, MiB", _one(sitting.open_run_mib.get(OURS)), 0.45, 0.30),
        Row("idle memory, to plain CrewAI", _one(idle), 1.2, 1.1),
        _WRITTEN.row(sitting),
        _BOOKED.row(sitting),
        Row("errors, order breaches, lost words, ledger", (float(faults),), 0, 0),
    ]


def table(found: Sequence[Row]) -> str:
    """The rows as text: median and [lowest-highest] over the rounds."""
    lines = [f"{'what':<50}{'measured':>22}{'must':>8}{'stretch':>9}  verdict", "-" * 99]
    for row in found:
        sign = "<=" if row.better == "less" else ">="
        lines.append(
            f"{row.what:<50}{_measured(row):>22}{sign + _number(row.must):>8}"
            f"{sign + _number(row.stretch):>9}  {row.verdict}"
        )
    return "\n".join(lines)


def details(sitting: Sitting) -> str:
    """The absolute figures behind the ratios; medians over the rounds."""
    lines = []
    for block in BLOCKS:
        lines.append(f"{block.name}:")
        for name in block.turns:
            figures = {
                label: _median(sitting.values(block, field, name)) for label, field in _FIGURES
            }
            told = ", ".join(f"{label} {_number(value)}" for label, value in figures.items())
            lines.append(f"  {name:<28}{told}")
    for name, mib in sitting.idle_mib.items():
        start_s = sitting.start_s[name]
        more = sitting.open_run_mib.get(name)
        held = f", an open run {_number(more)} MiB" if more is not None else ""
        lines.append(f"{name}: idle {mib:.0f} MiB, first answer {start_s:.1f} s{held}")
    lines.append(f"Postgres beside callsheet: {_number(sitting.postgres_cpu_ms)} ms CPU a turn")
    wrong = [problem for measured in sitting.rounds for problem in _problems(measured)]
    for problem in [*wrong, *sitting.problems, *sitting.differences][:20]:
        lines.append(f"! {problem}")
    return "\n".join(lines)


_FIGURES: Final = (
    ("turn ms", "turn_ms"),
    ("first delta ms", "first_ms"),
    ("turns/s", "turns_per_s"),
    ("CPU ms a turn", "cpu_ms"),
    ("delay p95 ms", "lag_p95_ms"),
    ("open at once", "max_open"),
)


def _problems(measured: Mapping[str, Mapping[str, Result]]) -> list[str]:
    return [
        problem
        for block in measured.values()
        for result in block.values()
        for problem in result.problems
    ]


def _one(value: float | None) -> tuple[float, ...]:
    return () if value is None else (value,)


def _quotient(value: float | None, by: float | None) -> float | None:
    return None if value is None or not by else value / by


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan


def _measured(row: Row) -> str:
    if not row.values:
        return "not measured"
    if len(row.values) == 1 or min(row.values) == max(row.values):
        return _number(row.median)
    return f"{_number(row.median)} [{_number(min(row.values))}-{_number(max(row.values))}]"


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf"
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return text if "e" not in text else f"{value:.3f}"
