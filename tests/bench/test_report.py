"""The table judges medians, and nothing that was not measured holds."""

from __future__ import annotations

from dataclasses import replace

from bench.blocks import (
    ALONE,
    BUSY,
    OFF,
    OURS,
    PACED,
    PLAIN,
    RELAY,
    STREAM,
    UNBOOKED,
    Result,
    Sitting,
)
from bench.report import Row, rows, table

BASE = Result(
    turn_ms=100,
    first_ms=10,
    lag_p95_ms=4,
    turns_per_s=1,
    cpu_ms=100,
    max_open=32,
    turns=1,
    problems=(),
)


def sitting(ours: Result) -> Sitting:
    found = Sitting(idle_mib={OURS: 200, PLAIN: 200}, open_run_mib={OURS: 0.1})
    servers = {RELAY: BASE, PLAIN: BASE, OURS: ours, OFF: BASE, UNBOOKED: BASE}
    found.rounds = [{block.name: servers for block in (ALONE, STREAM, BUSY, PACED)}]
    return found


def test_a_row_holds_by_its_median() -> None:
    assert Row("x", (0.4, 0.5, 9.0), 0.5, 0.3).verdict == "ok"
    assert Row("x", (0.2, 0.3, 9.0), 0.5, 0.3).verdict == "stretch"
    assert Row("x", (0.4, 0.6, 0.7), 0.5, 0.3).verdict == "MISSED"
    assert Row("x", (3, 5, 1), 3, 4, "more").verdict == "ok"
    assert Row("x", (2, 5, 1), 3, 4, "more").verdict == "MISSED"


def test_what_was_not_measured_is_missed() -> None:
    assert Row("x", (), 0.5, 0.3).verdict == "MISSED"
    assert not Row("x", (), 32, 32, "more").holds


def test_every_must_can_hold_and_one_lost_word_breaks_the_last() -> None:
    fast = replace(BASE, turn_ms=40, first_ms=3, turns_per_s=9, cpu_ms=40)
    assert [row.what for row in rows(sitting(fast)) if not row.holds] == []
    broken = rows(sitting(replace(fast, problems=("lost a word",))))
    assert [row.holds for row in broken].count(False) == 1
    assert not broken[-1].holds


def test_the_table_shows_the_spread_over_the_rounds() -> None:
    told = table([Row("speed", (0.4, 0.5, 0.9), 0.5, 0.3)])
    assert "0.5 [0.4-0.9]" in told
    assert "<=0.5" in told
