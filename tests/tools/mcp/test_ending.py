"""How servers end: with us, with what they started, and when they hang."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from callsheet.tools.mcp.server import Program
from tests.fakes.mcp_process import SERVER, is_alive, until
from tests.tools.mcp.running import log_of, stdio, using

HOST = """
import asyncio, sys
from pathlib import Path
from tests.tools.mcp.running import stdio, using
from tests.fakes.mcp_process import SERVER

async def main():
    async with using(stdio("one", Path(sys.argv[1]), {"FAKE_HANGS": sys.argv[2]})) as use:
        await use.ready(seconds=60)
        print("ready", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


# Elsewhere a program that does not look at its input stays: the kernel is asked on Linux alone.
@pytest.mark.parametrize("hangs", ["", "1"] if sys.platform == "linux" else [""])
async def test_a_server_ends_with_the_process_that_started_it_however_that_ends(
    tmp_path: Path, hangs: str
) -> None:
    """Also one that never looks at its input."""
    log = log_of(tmp_path)
    root = Path(__file__).parents[3]
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(log.path), hangs],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}:{root}/backend"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        await until(log.pids)
        [pid] = log.pids()
        assert is_alive(pid)
        os.kill(host.pid, signal.SIGKILL)
        host.wait()
        await until(lambda: not is_alive(pid))
    finally:
        host.kill()
        host.wait()


async def test_what_a_server_started_ends_with_it(tmp_path: Path) -> None:
    shell = f'sleep 600 & echo $! > {tmp_path}/pid; exec "$0" "$@"'
    command = ("-c", shell, sys.executable, str(SERVER), "stdio")
    server = stdio("one", tmp_path / "log")
    assert isinstance(server.reach, Program)
    reach = Program("sh", command, {**server.reach.env, "PATH": os.environ["PATH"]})
    async with using(type(server)("one", reach, ("*",))) as use:
        assert await use.ready()
        pid = int((tmp_path / "pid").read_text("utf-8"))
        assert is_alive(pid)
    await until(lambda: not is_alive(pid))


async def test_a_server_that_answers_nothing_any_more_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callsheet.tools.mcp.connection._PONG_WITHIN_S", 0.5)
    log = log_of(tmp_path)
    async with using(stdio("one", log.path, call_timeout_s=0.5)) as use:
        await use.ready()
        assert "did not answer in time" in (await use.call("one__freeze")).content
        await until(lambda: not use.mcp.standings()[0].is_open)
        hurried = await use.call("one__echo", '{"text": "x"}', seconds=0.05)
        assert "was not asked" in hurried.content
        await use.ready()
        assert (await use.call("one__echo", '{"text": "x"}')).content == "one: x"
    assert len(log.pids()) == 2


async def test_a_call_that_was_given_up_costs_a_server_that_is_well_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callsheet.tools.mcp.connection._PONG_WITHIN_S", 0.5)
    log = log_of(tmp_path)
    async with using(stdio("one", log.path, call_timeout_s=0.3)) as use:
        await use.ready()
        for _ in range(3):
            await use.call("one__slow")
        await asyncio.sleep(0.7)
        assert use.mcp.standings()[0].is_open
    assert len(log.pids()) == 1
