"""Runs the blocks against the servers that are up."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import uvloop

from bench.blocks import BLOCKS, Block, Result
from bench.load import Load, run_load
from bench.process import Process

PATH: Final = "/v1/agent-chat"
_OPEN_RUNS: Final = 100
_OPEN_WITHIN_S: Final = 60.0


class Control:
    """The fake provider's control door."""

    def __init__(self, provider: Process) -> None:
        self._url = f"http://127.0.0.1:{provider.port}/control"

    def play(self, scenario: Mapping[str, Any]) -> None:
        """Clear the counters and answer like this from now on."""
        urllib.request.urlopen(f"{self._url}/reset", data=b"", timeout=10).close()
        body = json.dumps(scenario).encode()
        request = urllib.request.Request(self._url, data=body, method="PUT")
        urllib.request.urlopen(request, timeout=10).close()

    def release(self) -> None:
        """Let held answers go on, now and until the next `play`."""
        urllib.request.urlopen(f"{self._url}/release", data=b"", timeout=10).close()

    def stats(self) -> dict[str, Any]:
        """The counters since `play`."""
        with urllib.request.urlopen(self._url, timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


@dataclass(slots=True)
class Billed:
    """What the provider reported to one server over all its blocks."""

    requests: int = 0
    prompt: int = 0
    completion: int = 0

    def add(self, stats: Mapping[str, Any]) -> None:
        self.requests += stats["requests"]
        self.prompt += stats["billed"]["prompt"]
        self.completion += stats["billed"]["completion"]


def warm(server: Process, control: Control, billed: Billed) -> list[str]:
    """A few turns that nobody counts; what went wrong in them."""
    control.play({"chunks": 2})
    load = _run(server, turns=4, at_once=2, chunks=2)
    billed.add(control.stats())
    return [f"{server.name}, warm-up: {problem}" for problem in load.problems]


def measure_round(
    servers: Mapping[str, Process],
    control: Control,
    billed: Mapping[str, Billed],
    number: int,
) -> dict[str, dict[str, Result]]:
    """Every block on every server; who begins changes from round to round."""
    names = list(servers)
    turned = names[number % len(names) :] + names[: number % len(names)]
    return {
        block.name: {
            name: measure(servers[name], control, billed[name], block)
            for name in turned
            if name in block.turns
        }
        for block in BLOCKS
    }


def measure(server: Process, control: Control, billed: Billed, block: Block) -> Result:
    """One block on one server."""
    control.play({"chunks": block.chunks, **block.scenario})
    turns = block.turns[server.name]
    cpu_before = server.cpu_s()
    load = _run(server, turns=turns, at_once=block.at_once, chunks=block.chunks)
    cpu_ms = (server.cpu_s() - cpu_before) * 1000 / turns
    stats = control.stats()
    billed.add(stats)
    firsts = [turn.first_ms for turn in load.turns if turn.first_ms is not None]
    return Result(
        turn_ms=_median([turn.whole_ms or 0.0 for turn in load.turns]),
        first_ms=_median(firsts),
        lag_p95_ms=_p95([lag for turn in load.turns for lag in turn.lags_ms]),
        turns_per_s=len(load.turns) / load.wall_s,
        cpu_ms=cpu_ms,
        max_open=stats["max_open"],
        turns=turns,
        problems=tuple(f"{server.name}, {block.name}: {problem}" for problem in load.problems),
    )


def open_run_mib(server: Process, control: Control, billed: Billed) -> tuple[float, list[str]]:
    """Memory that each of many open runs takes: all wait for their first model's second delta."""
    control.play({"chunks": 2, "held": True})
    before = server.rss_mib()
    seen: list[float] = []

    async def hold() -> Load:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(
                run_load(server.port, PATH, turns=_OPEN_RUNS, at_once=_OPEN_RUNS, chunks=2)
            )
            began = time.perf_counter()
            while time.perf_counter() - began < _OPEN_WITHIN_S and not seen:
                await asyncio.sleep(0.25)
                if control.stats()["open"] >= _OPEN_RUNS:
                    await asyncio.sleep(0.5)
                    seen.append(server.rss_mib())
            control.release()
        return running.result()

    load = uvloop.run(hold())
    billed.add(control.stats())
    problems = [f"{server.name}, open runs: {problem}" for problem in load.problems]
    if not seen:
        return float("inf"), [*problems, f"{server.name}: never {_OPEN_RUNS} runs open at once"]
    return max(0.0, seen[0] - before) / _OPEN_RUNS, problems


def _run(server: Process, *, turns: int, at_once: int, chunks: int) -> Load:
    return uvloop.run(run_load(server.port, PATH, turns=turns, at_once=at_once, chunks=chunks))


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else float("inf")


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)] if values else 0.0
