"""`make bench ARGS=sandbox`: how long a program takes in the sandbox, from the call to its result.

Each call goes through the tool as an agent's does, in one process; needs the engine and its image.
Prints each figure against its bound and exits with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.report import Row, table
from callsheet.tools.sandbox.options import PoolOptions
from tests.fakes.sandbox_run import OPTIONS, Bench, bench

HELLO: Final = "print('hello')"
NUMBERS: Final = "import numpy, pandas; print(pandas.DataFrame({'a': numpy.arange(9)}).sum())"
PLOT: Final = "import matplotlib.pyplot as p; p.plot([1, 2]); p.savefig('plot.png')"
ENDLESS: Final = "while True: pass"
AT_ONCE: Final = 8
_PRESSURE: Final = Path("/proc/pressure/cpu")
_WARM_S: Final = 300.0


def main(arguments: Sequence[str]) -> int:
    """Measure, print, judge."""
    asked = _parser().parse_args(arguments)
    print(f"before: {_quietness()}", file=sys.stderr)
    found = asyncio.run(_measure(asked.times))
    print(f"{table(found)}\n\nbefore and between the calls: {_quietness()}")
    missed = [row for row in found if not row.holds]
    print(f"{len(found) - len(missed)} of {len(found)} bounds hold.")
    return 1 if missed else 0


async def _measure(times: int) -> list[Row]:
    warm = PoolOptions(size=2, fill="start")
    async with bench(replace(OPTIONS, pool=warm)) as made:
        hello = [await _warm_ms(made, HELLO, 1) for _ in range(times)]
        numbers = [await _warm_ms(made, NUMBERS, 1) for _ in range(times)]
        plots = [await _warm_ms(made, PLOT, 1) for _ in range(max(3, times // 4))]
    async with bench(replace(OPTIONS, pool=replace(warm, size=AT_ONCE)), places=AT_ONCE) as made:
        crowds = [await _crowd_ms(made) for _ in range(3)]
    async with bench(replace(OPTIONS, pool=replace(warm, size=0))) as made:
        cold = [await _ms(made, HELLO) for _ in range(max(3, times // 4))]
        late = [await _ms(made, ENDLESS, 1) - 1000 for _ in range(3)]
    return [
        _row("hello on a warm pool, p50 ms", hello, 60, 30),
        _row("  p95", [_p95(hello)], 400, 100),
        _row("numpy and pandas on a warm pool, p50 ms", numbers, 120, 60),
        _row("a plot, with its file, p50 ms", plots, 600, 300),
        _row(f"{AT_ONCE} at once on a pool of {AT_ONCE}: the slowest, ms", crowds, 500, 200),
        _row("hello without a pool, p50 ms", cold, 800, 600),
        _row("an endless program: told after its limit, ms", late, 1000, 300),
    ]


async def _warm_ms(made: Bench, code: str, count: int) -> float:
    async with asyncio.timeout(_WARM_S):
        await made.until_warm(count)
    await asyncio.sleep(0.3)  # the container before it is still being removed
    return await _ms(made, code)


async def _crowd_ms(made: Bench) -> float:
    async with asyncio.timeout(_WARM_S):
        await made.until_warm(AT_ONCE)
    await asyncio.sleep(1)
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(_ms(made, HELLO)) for _ in range(AT_ONCE)]
    return max(call.result() for call in calls)


async def _ms(made: Bench, code: str, timeout_s: float | None = None) -> float:
    begun = time.perf_counter()
    report = await made.result(code, timeout_s)
    taken_ms = (time.perf_counter() - begun) * 1000
    if report["status"] != ("timeout" if code == ENDLESS else "ok"):
        raise SystemExit(f"a program ended with {report}")
    return taken_ms


def _row(what: str, values: Sequence[float], must: float, stretch: float) -> Row:
    return Row(what, tuple(values), must, stretch)


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def _quietness() -> str:
    """What else the machine does: its figures are worth little where others want the cores."""
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    if not _PRESSURE.exists():
        return load
    some = _PRESSURE.read_text("ascii").split("\n", 1)[0].split()
    pressed = dict(each.split("=") for each in some[1:])
    return f"{load}, tasks waited for a core {float(pressed['avg60']):.0f} % of the last minute"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench ARGS=sandbox", description=main.__doc__)
    parser.add_argument("--times", type=int, default=40, help="how often each program is run")
    return parser
