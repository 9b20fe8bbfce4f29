"""`callsheet worker` works on runs that others let in, and ends in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from callsheet.cli.worker_findings import ProcessSeen, workers
from callsheet.db.transaction import Database
from callsheet.events.run import RunFinished
from tests.sessions.rows import rows
from tests.wiring.stage import all_of, application, begin, settings_of


@contextmanager
def working(folder: Path, database_url: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    environ = {name: value for name, value in os.environ.items() if "CALLSHEET" not in name}
    environ |= {
        "CALLSHEET_DATA_DIR": str(folder / "data"),
        "CALLSHEET_DATABASE__URL": database_url,
    }
    process = subprocess.Popen(
        [sys.executable, "-c", "from callsheet.cli.app import main; main()", "worker", *more],
        cwd=folder, env=environ, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def said(process: subprocess.Popen[str], event: str) -> dict[str, Any]:
    """The next line of the log about this."""
    assert process.stderr is not None
    for line in process.stderr:
        found: dict[str, Any] = json.loads(line)
        if found["event"] == event:
            return found
    raise AssertionError(f"the log ended without {event!r}")


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
async def test_it_works_on_a_run_of_another_process_and_ends_in_order(
    tmp_path: Path, database: Database, database_url: str, kind: signal.Signals
) -> None:
    settings = settings_of(tmp_path, database_url)
    with working(tmp_path, database_url, "--places", "3") as process:
        async with application(settings, kind="api") as api:
            await api.ready()
            run = await begin(api, "Hello")
            ready = said(process, "worker_ready")
            assert ready["places"] == 3
            assert isinstance((await all_of(run.entries))[-1].event, RunFinished)
            assert await rows(database, "SELECT worker_id FROM runs") == [(ready["worker_id"],)]
        process.send_signal(kind)
        said(process, "worker_draining")
        said(process, "worker_ended")
        assert process.wait(60) == 0
    assert await rows(database, "SELECT count(*) FROM workers") == [(0,)]


def test_it_says_so_where_the_database_is_away(tmp_path: Path) -> None:
    with working(tmp_path, "postgresql://me:secret@127.0.0.1:1/none") as process:
        assert process.wait(60) == 2
        assert process.stderr is not None
        told = process.stderr.read()
    assert "CALLSHEET_DATABASE__URL" in told
    assert "secret" not in told
    assert "Traceback" not in told


def seen(kind: str, *, alive: bool = True, draining: bool = False) -> ProcessSeen:
    return ProcessSeen("host:1:x", kind, draining, alive, 45)


def test_the_doctor_counts_processes_by_what_they_do() -> None:
    known = [seen("serve"), seen("worker"), seen("worker"), seen("worker", draining=True)]
    (finding,) = workers(known, 3)
    assert finding.state == "ok"
    assert finding.detail == (
        "1 x server with worker; 2 x worker; 1 x worker, about to end; 3 runs waiting"
    )
    assert workers([], 0)[0].detail == "none is up"


def test_the_doctor_tells_of_runs_that_wait_for_nobody_and_of_silent_processes() -> None:
    waits, silent = workers([seen("api"), seen("worker", alive=False)], 1)
    assert (waits.state, silent.state) == ("warning", "warning")
    assert waits.detail == "1 x server without worker; 1 run waiting"
    assert "callsheet worker" in waits.mend
    assert "last heard of 45 s ago" in silent.detail


def test_the_doctor_reminds_of_the_folder_that_several_hosts_have_to_share() -> None:
    here = seen("serve")
    there = ProcessSeen("other:2:y", "worker", False, True, 1)
    assert [each.subject for each in workers([here, there], 0)] == ["processes", "files of tools"]
    assert [each.subject for each in workers([here, seen("worker")], 0)] == ["processes"]
