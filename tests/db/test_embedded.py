"""The embedded server, with real processes that come, go and are killed."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import psutil
import pytest

from callsheet.db.embedded.layout import layout_of
from callsheet.db.embedded.lifecycle import EmbeddedPostgres, embedded_postgres
from callsheet.db.embedded.locks import gate
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.processes import is_server, recorded_pid, servers_of
from callsheet.kit.errors import SetupError

ROOT = Path(__file__).resolve().parents[2]
FAST = {"fsync": "off", "synchronous_commit": "off"}


def folder() -> Path:
    """A data folder that the server's user can reach; pytest's own is closed to it."""
    path = Path(tempfile.mkdtemp(prefix="cs-", dir="/tmp"))
    path.chmod(0o711)
    return path


def end_all(data_dir: Path) -> None:
    for process in list(servers_of(layout_of(data_dir).cluster)):
        process.kill()
    shutil.rmtree(data_dir, ignore_errors=True)


@pytest.fixture(scope="module")
def made_once() -> Iterator[Path]:
    """A data folder with a cluster in it, and no server. Each test leaves it able to start."""
    path = folder()

    async def make() -> None:
        async with embedded_postgres(options(path)):
            pass

    asyncio.run(make())
    yield path
    end_all(path)


@pytest.fixture
def data_dir(made_once: Path) -> Iterator[Path]:
    yield made_once
    assert none_left(made_once)


@pytest.fixture
def new_dir() -> Iterator[Path]:
    path = folder()
    yield path
    end_all(path)


def options(data_dir: Path, *, start_timeout_s: float = 60) -> EmbeddedOptions:
    return EmbeddedOptions(data_dir, start_timeout_s=start_timeout_s, server_settings=FAST)


def server_pid(data_dir: Path) -> int | None:
    """The live server's process id; None when none is alive."""
    layout = layout_of(data_dir)
    pid = recorded_pid(layout.pid_file)
    return pid if pid is not None and is_server(pid, layout.cluster) else None


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def none_left(data_dir: Path) -> bool:
    return not any(servers_of(layout_of(data_dir).cluster))


class User:
    """Another process that uses the server."""

    def __init__(self, data_dir: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/db/embedded_user.py"), str(data_dir), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "backend")},
        )
        assert self.says() == "joining"

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def joined(self) -> User:
        assert self.says().startswith("joined postgresql://")
        return self

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.says() == "left"
        self.close()

    def close(self) -> None:
        self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


async def run(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_rows_are_there_after_a_restart_and_the_last_one_out_stops_it(new_dir: Path) -> None:
    async with embedded_postgres(options(new_dir)) as url:
        await run(url, "CREATE TABLE kept AS SELECT 42 AS n")
        assert await run(url, "SHOW server_encoding") == "UTF8"
        assert await run(url, "SHOW listen_addresses") == ""
        order = "SELECT string_agg(w, '' ORDER BY w) FROM unnest('{ä,z,Z,中}'::text[]) w"
        assert await run(url, order) == "Zzä中"
    assert none_left(new_dir)
    async with embedded_postgres(options(new_dir)) as url:
        assert await run(url, "SELECT n FROM kept") == 42
    assert none_left(new_dir)


async def test_a_second_process_uses_the_same_server_and_may_stay_longer(data_dir: Path) -> None:
    embedded = EmbeddedPostgres(options(data_dir))
    await embedded.start()
    pid = server_pid(data_dir)
    other = await asyncio.to_thread(lambda: User(data_dir).joined())
    await embedded.stop()
    assert server_pid(data_dir) == pid is not None
    await asyncio.to_thread(other.leave)
    assert none_left(data_dir)


def test_processes_that_start_together_make_one_server(new_dir: Path) -> None:
    users = [User(new_dir) for _ in range(3)]
    for user in users:
        user.joined()
    layout = layout_of(new_dir)
    servers = list(servers_of(layout.cluster))
    own = {process.pid for process in servers}
    assert [p.pid for p in servers if p.ppid() not in own] == [server_pid(new_dir)]
    for user in users:
        user.leave()
    assert none_left(new_dir)


async def test_a_server_whose_users_were_killed_is_adopted_and_then_stopped(data_dir: Path) -> None:
    def leave_an_orphan() -> None:
        users = [User(data_dir).joined(), User(data_dir).joined()]
        for user in users:
            user.kill()

    await asyncio.to_thread(leave_an_orphan)
    pid = server_pid(data_dir)
    assert pid is not None
    async with embedded_postgres(options(data_dir)) as url:
        assert await run(url, "SELECT 1") == 1
        assert server_pid(data_dir) == pid
    assert none_left(data_dir)


async def test_a_server_that_was_killed_is_revived_with_its_rows(data_dir: Path) -> None:
    embedded = EmbeddedPostgres(options(data_dir))
    url = await embedded.start()
    await run(url, "CREATE TABLE kept AS SELECT 42 AS n")
    await run(url, "CHECKPOINT")
    pid = server_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)  # it is our child: until it is reaped it stays as a zombie
    url = await embedded.start()
    assert await run(url, "SELECT n FROM kept") == 42
    assert server_pid(data_dir) not in (None, pid)
    await embedded.stop()
    assert none_left(data_dir)


def test_a_server_killed_together_with_its_user_starts_again(data_dir: Path) -> None:
    user = User(data_dir).joined()
    pid = server_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    user.kill()
    again = User(data_dir).joined()
    assert server_pid(data_dir) not in (None, pid)
    again.leave()
    assert none_left(data_dir)


def write_pid_file(data_dir: Path, pid: int) -> None:
    layout = layout_of(data_dir)
    rows = [str(pid), str(layout.cluster), "1", "5432", str(layout.sockets), "", "0 0", "ready"]
    layout.pid_file.write_text("\n".join(rows) + "\n")
    owner = layout.cluster.stat()
    os.chown(layout.pid_file, owner.st_uid, owner.st_gid)


async def starts(data_dir: Path) -> bool:
    async with embedded_postgres(options(data_dir)) as url:
        return await run(url, "SELECT 1") == 1


async def test_a_pid_file_of_a_dead_process_is_in_nobodys_way(data_dir: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    write_pid_file(data_dir, dead.pid)
    assert await starts(data_dir)


async def test_a_pid_that_went_to_another_program_is_in_nobodys_way(data_dir: Path) -> None:
    owner = layout_of(data_dir).cluster.stat()
    switch = {"user": owner.st_uid, "group": owner.st_gid} if os.geteuid() == 0 else {}
    other = subprocess.Popen(["sleep", "600"], cwd="/", **switch)  # type: ignore[call-overload]
    try:
        write_pid_file(data_dir, other.pid)
        assert await starts(data_dir)
    finally:
        other.kill()
        other.wait()


async def test_a_zombie_is_not_taken_for_a_server(data_dir: Path) -> None:
    zombie = subprocess.Popen(["true"])
    wait_until(
        lambda: psutil.Process(zombie.pid).status() == psutil.STATUS_ZOMBIE, "it became no zombie"
    )
    write_pid_file(data_dir, zombie.pid)
    assert await starts(data_dir)
    zombie.wait()


def test_a_start_that_is_killed_at_any_moment_leaves_a_folder_that_starts(new_dir: Path) -> None:
    for delay_s in (0.0, 0.4, 1.0):
        user = User(new_dir)
        time.sleep(delay_s)
        user.kill()
    again = User(new_dir).joined()
    again.leave()
    assert none_left(new_dir)


async def test_a_start_over_its_time_leaves_no_server(data_dir: Path) -> None:
    with pytest.raises(SetupError, match=r"did not answer within 0 s.*CALLSHEET_DATABASE__URL"):
        await EmbeddedPostgres(options(data_dir, start_timeout_s=0)).start()
    assert none_left(data_dir)
    assert await starts(data_dir)


async def test_a_cancelled_start_leaves_no_server(data_dir: Path) -> None:
    async def use() -> None:
        async with embedded_postgres(options(data_dir)):
            await asyncio.Event().wait()

    for delay_s in (0, 0.02, 0.05, 0.1):
        task = asyncio.get_running_loop().create_task(use())
        await asyncio.sleep(delay_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert none_left(data_dir)
    assert await starts(data_dir)


async def test_the_loop_goes_on_while_the_server_starts(data_dir: Path) -> None:
    longest_s, last = 0.0, time.monotonic()

    async def tick() -> None:
        nonlocal longest_s, last
        while True:
            await asyncio.sleep(0.001)
            longest_s, last = max(longest_s, time.monotonic() - last), time.monotonic()

    layout = layout_of(data_dir)
    ticker = asyncio.get_running_loop().create_task(tick())
    with gate(layout.gate, timeout_s=1, wait=time.sleep):
        starting = asyncio.get_running_loop().create_task(starts(data_dir))
        await asyncio.sleep(0.5)
    assert await starting
    ticker.cancel()
    assert longest_s < 0.4


async def test_a_gate_that_stays_shut_is_told_with_the_way_out(data_dir: Path) -> None:
    with (
        gate(layout_of(data_dir).gate, timeout_s=1, wait=time.sleep),
        pytest.raises(SetupError, match=r"Another process.*CALLSHEET_DATABASE__URL"),
    ):
        await EmbeddedPostgres(options(data_dir, start_timeout_s=0.1)).start()


async def test_a_folder_of_another_major_version_is_refused(data_dir: Path) -> None:
    version = layout_of(data_dir).cluster / "PG_VERSION"
    own = version.read_text()
    version.write_text("15\n")
    with pytest.raises(SetupError, match=r"written by PostgreSQL 15.*CALLSHEET_DATABASE__URL"):
        await EmbeddedPostgres(options(data_dir)).start()
    version.write_text(own)


async def test_a_folder_that_holds_something_else_is_left_alone(new_dir: Path) -> None:
    cluster = layout_of(new_dir).cluster
    cluster.mkdir(parents=True)
    (cluster / "thesis.txt").write_text("years of work")
    for each in (cluster, *cluster.parents[:2]):
        each.chmod(0o755)
    with pytest.raises(SetupError, match="no database"):
        await EmbeddedPostgres(options(new_dir)).start()
    assert (cluster / "thesis.txt").read_text() == "years of work"


def test_a_full_disk_is_told_with_the_way_out(new_dir: Path) -> None:
    user = User(new_dir, "200000")  # no file may grow beyond: initdb cannot write its tables
    said = user.says()
    user.close()
    assert said.startswith("refused The database could not be made:")
    assert "CALLSHEET_DATABASE__URL" in said
    assert none_left(new_dir)


async def test_a_setting_that_the_server_refuses_is_quoted(data_dir: Path) -> None:
    wrong = EmbeddedOptions(data_dir, server_settings={"shared_buffers": "many"})
    with pytest.raises(SetupError, match=r"stopped at once.*shared_buffers"):
        await EmbeddedPostgres(wrong).start()
    assert none_left(data_dir)


async def test_a_server_that_hangs_is_told_and_left_to_whoever_owns_it(data_dir: Path) -> None:
    embedded = EmbeddedPostgres(options(data_dir))
    await embedded.start()
    pid = server_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(SetupError, match=r"is at work in .* but did not answer within 0 s"):
        await EmbeddedPostgres(options(data_dir, start_timeout_s=0.2)).start()
    os.kill(pid, signal.SIGCONT)
    assert server_pid(data_dir) == pid
    await embedded.stop()


async def test_a_server_that_does_not_obey_is_stopped_harder(data_dir: Path) -> None:
    impatient = EmbeddedOptions(data_dir, stop_timeout_s=0.2, server_settings=FAST)
    embedded = EmbeddedPostgres(impatient)
    await embedded.start()
    pid = server_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    await embedded.stop()
    os.kill(pid, signal.SIGCONT)  # both requests to stop are waiting for it
    wait_until(lambda: none_left(data_dir), "it went on")
    assert await starts(data_dir)


async def test_who_cannot_get_at_the_gate_leaves_the_server_to_the_others(data_dir: Path) -> None:
    embedded = EmbeddedPostgres(options(data_dir, start_timeout_s=0.5))
    await embedded.start()
    with gate(layout_of(data_dir).gate, timeout_s=1, wait=time.sleep):
        await embedded.stop()
    pid = server_pid(data_dir)
    assert pid is not None
    async with embedded_postgres(options(data_dir)):
        assert server_pid(data_dir) == pid
