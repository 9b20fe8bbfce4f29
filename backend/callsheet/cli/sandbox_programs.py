"""Programs in the sandbox, from the command line: the path that the tool's programs go."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from callsheet.cli.console import note
from callsheet.cli.interrupts import Interrupts
from callsheet.kit.errors import BadInput, SetupError
from callsheet.settings.settings import Settings
from callsheet.tools.sandbox.options import PoolOptions, SandboxOptions
from callsheet.tools.sandbox.precheck import reason_against
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    NamedFile,
    Program,
    SandboxState,
    SandboxUnavailable,
    Stage,
    Stream,
)
from callsheet.tools.sandbox.service import ContainerSandbox
from callsheet.wiring.sandbox import make_sandbox

_LOOK_S: Final = 0.02
_FILL_S: Final = 120.0
_TRIED_S: Final = 60.0
_STATUSES: Final = {"ok": 0, "error": 1, "rejected": 2, "timeout": 124, "oom": 137, "killed": 137}
"""As a shell has them; an `error` passes the program's own on."""
_TRIED: Final = {
    "print('hello')": "print('hello')\n",
    "numpy and pandas": "import numpy, pandas\nprint(pandas.Series(numpy.arange(3)).sum())\n",
    "a plot": "import matplotlib.pyplot as p\np.plot([1, 2])\np.savefig('plot.png')\n",
}


async def run_program(
    settings: Settings,
    options: SandboxOptions,
    code: str,
    timeout_s: float | None,
    folder: Path | None,
) -> int:
    """Run it with its output as it comes; the status to end with.

    The files that it leaves go into `folder`, where there is one.

    Raises BadInput for text that is no program, Unavailable where the sandbox fails.
    """
    limits = options.limits
    if (reason := reason_against(code, most_bytes=limits.code_bytes)) is not None:
        raise BadInput(reason)
    wanted_s = min(timeout_s or limits.timeout_s, limits.max_timeout_s)
    without_pool = replace(options, pool=replace(options.pool, size=0))
    with Interrupts():
        async with _working(settings, without_pool) as sandbox:
            result = await sandbox.run(Program(code, wanted_s), _Printed())
    if result.reason:
        note(f"{result.status}: {result.reason}")
    if result.dropped_bytes:
        note(f"{result.dropped_bytes} more bytes of output were dropped.")
    for skipped in result.skipped:
        note(f"not kept: {skipped.name}: {skipped.reason}")
    if folder is not None:
        await asyncio.to_thread(_write, result.files, folder)
    elif result.files:
        note(f"It left {', '.join(file.name for file in result.files)}; --files keeps them.")
    return _status(result)


@dataclass(frozen=True, slots=True)
class Warmth:
    """`fill_ms`: until all of the pool waited. `runs_ms`: of each program, how long it took."""

    size: int
    fill_ms: float
    runs_ms: dict[str, tuple[float, ...]]

    def lines(self) -> list[str]:
        """For people."""
        filled = f"{self.size} containers wait after {self.fill_ms:.0f} ms"
        return [filled] + [
            f"{name}: {statistics.median(taken):.1f} ms (median of {len(taken)})"
            for name, taken in self.runs_ms.items()
        ]


async def warm_up(settings: Settings, options: SandboxOptions, rounds: int) -> Warmth:
    """Fill a pool, run each of a few programs in it, and have it gone again.

    Raises SetupError where a program fails, Unavailable where the sandbox does.
    """
    size = max(1, options.pool.size)
    filled_at_once: PoolOptions = replace(options.pool, size=size, fill="start")
    begun = time.monotonic()
    with Interrupts():
        async with _working(settings, replace(options, pool=filled_at_once)) as sandbox:
            await _until_filled(sandbox, size)
            fill_ms = (time.monotonic() - begun) * 1000
            runs_ms = {
                name: tuple([await _tried_ms(sandbox, size, code) for _ in range(rounds)])
                for name, code in _TRIED.items()
            }
    return Warmth(size, fill_ms, runs_ms)


@asynccontextmanager
async def _working(settings: Settings, options: SandboxOptions) -> AsyncIterator[ContainerSandbox]:
    part = make_sandbox(settings, options)
    try:
        async with asyncio.TaskGroup() as group:
            working = group.create_task(part.work_now())
            try:
                yield part.sandbox
            finally:
                working.cancel()
    finally:
        await part.close()


async def _until_filled(sandbox: ContainerSandbox, size: int) -> None:
    try:
        async with asyncio.timeout(_FILL_S):
            while (state := sandbox.state()).warm < size:
                _refuse_unready(state)
                await asyncio.sleep(_LOOK_S)
    except TimeoutError:
        raise SandboxUnavailable(f"No {size} containers came to wait in {_FILL_S:.0f} s.") from None


def _refuse_unready(state: SandboxState) -> None:
    if not state.ready and state.kind != "starting":
        raise SandboxUnavailable(state.detail)


async def _tried_ms(sandbox: ContainerSandbox, size: int, code: str) -> float:
    await _until_filled(sandbox, size)
    begun = time.monotonic()
    result = await sandbox.run(Program(code, _TRIED_S), _Unheard())
    taken_ms = (time.monotonic() - begun) * 1000
    if result.status != "ok":
        said = (result.reason or result.stderr).strip()[-300:]
        raise SetupError(
            f"The sandbox works, but a plain program ended with {result.status}: {said}"
        )
    return taken_ms


def _status(result: ExecutionResult) -> int:
    if result.status == "error" and result.exit_code:
        return result.exit_code if 0 < result.exit_code < 256 else 1
    return _STATUSES[result.status]


def _write(files: tuple[NamedFile, ...], folder: Path) -> None:
    """Into `folder` alone: names are judged, and lead nowhere else."""
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        note(f"{path}: {len(file.data):,} bytes")


class _Printed:
    """Implements `Watch` on the terminal."""

    def output(self, stream: Stream, text: str) -> None:
        """As the protocol says."""
        to = sys.stdout if stream == "stdout" else sys.stderr
        to.write(text)
        to.flush()

    def stage(self, stage: Stage, detail: str) -> None:
        """As the protocol says."""
        if stage in ("queued", "building"):
            note(detail)


class _Unheard:
    """Implements `Watch` for nobody."""

    def output(self, stream: Stream, text: str) -> None:
        """As the protocol says."""

    def stage(self, stage: Stage, detail: str) -> None:
        """As the protocol says."""
