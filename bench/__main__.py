"""`make bench`: one sitting, all servers side by side, ratios within a round.

BENCH_ROUNDS (default 5) says how often; 1 is a quick look. Exits with 1 where a must is missed.
`make bench ARGS=rows` measures a large ledger instead (bench/rows/run.py), ARGS=views a crowd
of streams and the replay of a long run (bench/views/run.py), ARGS=sandbox programs in the sandbox
(bench/sandbox/run.py).
Judge it on a quiet machine: waiting for the database is a part of a turn, and on cores that others
use it is mostly waiting for a core.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psutil

from bench.blocks import OFF, OURS, PLAIN, RELAY, UNBOOKED, Sitting
from bench.deployment import write_deployment
from bench.ledger import differences, own_database
from bench.measure import Billed, Control, measure_round, open_run_mib, warm
from bench.process import Place, Process, cores, same_weight, start
from bench.report import details, rows, table
from bench.rows.run import main as measure_rows
from bench.sandbox.run import main as measure_sandbox
from bench.views.run import main as measure_views
from callsheet.db.embedded.layout import layout_of
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.server import Server

_MODULES: Final = {
    RELAY: "bench.servers.relay",
    PLAIN: "bench.servers.plain_crewai",
    OURS: "bench.servers.callsheet_on",
    OFF: "bench.servers.callsheet_off",
    UNBOOKED: "bench.servers.callsheet_no_ledger",
}


def main() -> int:
    """Measure, print, judge."""
    if sys.argv[1:2] == ["rows"]:
        return measure_rows(sys.argv[2:])
    if sys.argv[1:2] == ["views"]:
        return measure_views(sys.argv[2:])
    if sys.argv[1:2] == ["sandbox"]:
        return measure_sandbox(sys.argv[2:])
    if sys.argv[1:]:
        print(__doc__)
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    if not Path("/proc/self/stat").exists():
        print("The bench reads CPU and memory from /proc: run it on Linux.")
        return 2
    rounds = int(os.environ.get("BENCH_ROUNDS", "5"))
    sitting = Sitting()
    with tempfile.TemporaryDirectory(prefix="callsheet-bench-") as scratch, ExitStack() as stack:
        _sit(Path(scratch), rounds, sitting, stack)
    found = rows(sitting)
    print(f"\n{details(sitting)}\n\n{table(found)}")
    missed = [row for row in found if not row.holds]
    print(f"\n{len(found) - len(missed)} of {len(found)} musts hold.")
    return 1 if missed else 0


def _sit(scratch: Path, rounds: int, sitting: Sitting, stack: ExitStack) -> None:
    on_servers, beside = cores()
    os.sched_setaffinity(0, beside)
    scratch.chmod(0o755)
    postgres = Server(EmbeddedOptions(scratch / "data"))
    postgres.join()
    stack.callback(postgres.leave)
    provider = stack.enter_context(
        start("provider", "tests.fakes.provider", [], Place(scratch, beside), {})
    )
    provider.ready("/control")
    servers = _start_all(scratch, on_servers, provider, postgres.url, stack)
    for name, server in servers.items():
        sitting.start_s[name] = server.ready(
            "/health/ready" if "callsheet" in name else "/health/live"
        )
        sitting.idle_mib[name] = server.rss_mib()
        _say(f"{name} is up")
    control = Control(provider)
    billed = {name: Billed() for name in servers}
    for name, server in servers.items():
        sitting.problems += warm(server, control, billed[name])
    postgres_before = _postgres_cpu_s(scratch)
    for number in range(rounds):
        for process in _postgres(scratch):  # each of its processes is a session of its own
            same_weight(process.pid)
        sitting.rounds.append(measure_round(servers, control, billed, number))
        _say(f"round {number + 1} of {rounds} done")
    turns = sum(
        result.turns
        for measured in sitting.rounds
        for block in measured.values()
        for name, result in block.items()
        if name == OURS
    )
    sitting.postgres_cpu_ms = (_postgres_cpu_s(scratch) - postgres_before) * 1000 / turns
    for name in (RELAY, OURS):
        mib, problems = open_run_mib(servers[name], control, billed[name])
        sitting.open_run_mib[name] = mib
        sitting.problems += problems
    sitting.differences = asyncio.run(differences(postgres.url, billed[OURS]))


def _start_all(
    scratch: Path, on: set[int], provider: Process, database: str, stack: ExitStack
) -> dict[str, Process]:
    """Started one after another, so that no start slows another one down."""
    url = f"http://127.0.0.1:{provider.port}/v1"
    deployment = write_deployment(scratch / "deployment", url)
    common = {
        **deployment,
        "CALLSHEET_DATABASE__URL": database,
        "CALLSHEET_LIMITS__CONCURRENT_RUNS": "256",
        "CALLSHEET_LOG__LEVEL": "warning",
    }
    servers = {}
    for name, module in _MODULES.items():
        ours = "callsheet" in name
        folder = name.replace(" ", "-").replace(",", "")
        more = {**common, "CALLSHEET_DATA_DIR": str(scratch / folder)} if ours else {}
        if name in (OFF, UNBOOKED):
            more["CALLSHEET_DATABASE__URL"] = asyncio.run(own_database(database, folder))
        arguments = [] if ours else ["--provider", url]
        process = start(folder, module, arguments, Place(scratch, on), more)
        process.name = name
        servers[name] = stack.enter_context(process)
        process.ready("/health/live")
    return servers


def _postgres(scratch: Path) -> list[psutil.Process]:
    """The database's processes, the one that all come from first."""
    pid = int(layout_of(scratch / "data").pid_file.read_text("ascii").split()[0])
    server = psutil.Process(pid)
    return [server, *server.children(recursive=True)]


def _postgres_cpu_s(scratch: Path) -> float:
    """CPU seconds of the database's processes that live, and of those that have ended."""
    processes = _postgres(scratch)
    ended = processes[0].cpu_times()
    total = ended.children_user + ended.children_system
    for each in processes:
        used = each.cpu_times()
        total += used.user + used.system
    return total


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
