"""Starts of the embedded server that are cut, refused or in somebody's way."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from callsheet.db.embedded.layout import layout_of
from callsheet.db.embedded.lifecycle import EmbeddedPostgres, embedded_postgres
from callsheet.db.embedded.locks import gate
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.kit.errors import SetupError
from tests.db.embedded_users import FAST, User, none_left, options, server_pid, starts, wait_until


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


async def test_a_socket_that_somebody_else_put_there_is_not_talked_to(new_dir: Path) -> None:
    """In /tmp, where a long data folder has it, anybody could listen and take what is stored."""
    layout = layout_of(new_dir)
    layout.root.mkdir(parents=True)
    elsewhere = new_dir / "elsewhere"
    elsewhere.mkdir()
    layout.sockets.symlink_to(elsewhere)
    asked: list[bytes] = []

    async def stranger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read(8))
        writer.close()

    server = await asyncio.start_unix_server(stranger, elsewhere / layout.socket.name)
    async with server:
        with pytest.raises(SetupError, match="belongs to somebody else"):
            await EmbeddedPostgres(options(new_dir)).start()
    assert asked == []
