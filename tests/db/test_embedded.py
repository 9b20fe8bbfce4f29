"""The embedded server, with real processes that come, go and are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import psutil

from callsheet.db.embedded.layout import layout_of
from callsheet.db.embedded.lifecycle import EmbeddedPostgres, embedded_postgres
from callsheet.db.embedded.processes import servers_of
from tests.db.embedded_users import (
    User,
    none_left,
    options,
    run,
    server_pid,
    starts,
    wait_until,
    write_pid_file,
)


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
