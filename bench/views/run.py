"""`make bench ARGS=views`: a crowd of streams at once, and the replay of a long run.

Prints each figure against its bound and exits with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from bench.blocks import OURS, RELAY, Block, Result
from bench.deployment import write_deployment
from bench.measure import Billed, Control, measure, warm
from bench.process import Place, Process, cores, start
from bench.report import Row, table
from bench.views.replay import replay_s
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.server import Server

CROWD: Final = 200
REPLAY_S: Final = 3.0
DELAY_RATIO: Final = 3.0


def main(arguments: Sequence[str]) -> int:
    """Start the servers, measure, print, judge."""
    asked = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="callsheet-views-") as scratch, ExitStack() as stack:
        Path(scratch).chmod(0o755)
        found = _measure(Path(scratch), asked, stack)
    print(table(found))
    missed = [row for row in found if not row.holds]
    print(f"\n{len(found) - len(missed)} of {len(found)} bounds hold.")
    return 1 if missed else 0


def _measure(scratch: Path, asked: argparse.Namespace, stack: ExitStack) -> list[Row]:
    on_servers, beside = cores()
    os.sched_setaffinity(0, beside)
    postgres = Server(EmbeddedOptions(scratch / "data"))
    postgres.join()
    stack.callback(postgres.leave)
    provider = stack.enter_context(
        start("provider", "tests.fakes.provider", [], Place(scratch, beside), {})
    )
    provider.ready("/control")
    url = f"http://127.0.0.1:{provider.port}/v1"
    place = Place(scratch, on_servers)
    relay = stack.enter_context(start(RELAY, "bench.servers.relay", ["--provider", url], place, {}))
    ours = stack.enter_context(
        start(
            OURS,
            "bench.servers.callsheet_on",
            [],
            place,
            {
                **write_deployment(scratch / "deployment", url),
                "CALLSHEET_DATABASE__URL": postgres.url,
                "CALLSHEET_DATA_DIR": str(scratch / OURS),
                "CALLSHEET_LIMITS__CONCURRENT_RUNS": "512",
                "CALLSHEET_LOG__LEVEL": "warning",
            },
        )
    )
    relay.ready("/health/live")
    ours.ready("/health/ready")
    crowd = _crowd({RELAY: relay, OURS: ours}, Control(provider), asked)
    took = asyncio.run(replay_s(postgres.url, ours.port, asked.events, asked.times))
    for way, values in took.items():
        _say(f"replay of {asked.events} events, {way}: {statistics.median(values):.2f} s")
    name = f"replay of {asked.events} events"
    bound = REPLAY_S * asked.events / 100_000
    return [*crowd, *(Row(f"{name}, {way}, s", tuple(v), bound, 1.5) for way, v in took.items())]


def _crowd(servers: dict[str, Process], control: Control, asked: argparse.Namespace) -> list[Row]:
    scenario = {"gap_s": asked.gap_s, "stamp": True}
    block = Block("crowd", asked.at_once, 20, dict.fromkeys(servers, asked.at_once), scenario)
    billed = {name: Billed() for name in servers}
    problems = [
        problem
        for name, server in servers.items()
        for problem in warm(server, control, billed[name])
    ]
    ratios: list[float] = []
    for _ in range(asked.times):
        results: dict[str, Result] = {}
        for name, server in servers.items():
            results[name] = measure(server, control, billed[name], block)
            problems += results[name].problems
            _say(
                f"{name}: delay p95 {results[name].lag_p95_ms:.1f} ms, "
                f"{results[name].max_open} calls open, {results[name].cpu_ms:.0f} ms CPU a turn"
            )
        ratios.append(results[OURS].lag_p95_ms / results[RELAY].lag_p95_ms)
    for problem in problems[:5]:
        _say(problem)
    return [
        Row(
            f"{asked.at_once} streams at once: p95 delay to the relay",
            tuple(ratios),
            DELAY_RATIO,
            2,
        ),
        Row(f"{asked.at_once} streams at once: errors", (float(len(problems)),), 0, 0),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench ARGS=views", description=main.__doc__)
    parser.add_argument("--at-once", type=int, default=CROWD, help="streams at the same time")
    parser.add_argument("--gap-s", type=float, default=0.1, help="between two deltas of a stream")
    parser.add_argument("--events", type=int, default=100_000, help="of the run that is replayed")
    parser.add_argument("--times", type=int, default=3, help="how often each is measured")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
