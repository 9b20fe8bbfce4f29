"""The processes' part of the doctor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from callsheet.cli.console import counted
from callsheet.cli.finding import Finding
from callsheet.runs.worker_locks import ALIVE

PROCESSES: Final = f"""
SELECT w.id, w.kind, w.draining, ({ALIVE}) AS alive,
       extract(epoch FROM now() - w.heartbeat_at)::int AS silent_s
FROM workers w ORDER BY w.started_at
"""  # noqa: S608 - our own text, not a value
WAITING: Final = (
    "SELECT count(*) FROM runs WHERE worker_id IS NULL AND status IN ('queued', 'running')"
)
_SEVERAL: Final = 2
_NAMES: Final = {
    "serve": "server with worker",
    "api": "server without worker",
    "worker": "worker",
    "command": "command",
}


@dataclass(frozen=True, slots=True)
class ProcessSeen:
    """A row of `workers`; `silent_s`: seconds since it was last heard of."""

    id: str
    kind: str
    draining: bool
    alive: bool
    silent_s: int


def workers(known: Sequence[ProcessSeen], waiting: int) -> list[Finding]:
    """What is up, what is dead and still known, and whether runs wait in vain."""
    kinds = Counter(
        f"{_NAMES[one.kind]}{', about to end' if one.draining else ''}"
        for one in known
        if one.alive
    )
    up = "; ".join(f"{number} x {kind}" for kind, number in kinds.items()) or "none is up"
    waits = f"; {counted(waiting, 'run')} waiting" if waiting else ""
    findings = [Finding("processes", "ok", up + waits)]
    if waiting and not any(one.alive and one.kind in ("serve", "worker") for one in known):
        mend = "Start `callsheet worker`, or `callsheet serve` without --no-worker."
        findings = [Finding("processes", "warning", up + waits, mend)]
    findings += _shared_folder(known)
    findings += [
        Finding(
            "process",
            "warning",
            f"{one.id} ({_NAMES[one.kind]}) was last heard of {one.silent_s} s ago",
            "Others go on with its runs. If it still runs, it hangs: end it.",
        )
        for one in known
        if not one.alive
    ]
    return findings


def _shared_folder(known: Sequence[ProcessSeen]) -> list[Finding]:
    """Processes of several hosts: files of tools have to be where all of them look."""
    hosts = sorted({one.id.partition(":")[0] for one in known if one.alive})
    if len(hosts) < _SEVERAL:
        return []
    mend = "All of them need one `artifacts` folder, shared, in their data folders."
    return [Finding("files of tools", "ok", f"processes on {', '.join(hosts)}", mend)]
