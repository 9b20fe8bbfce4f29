"""Programs in real containers: what they get, what they leave, and how they end."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from callsheet.tools.sandbox.options import CHECKS, Limits, PoolOptions
from tests.fakes.sandbox_run import OPTIONS, Bench, bench

pytestmark = [pytest.mark.needs("docker"), pytest.mark.timeout(180)]

COLD = replace(OPTIONS, pool=PoolOptions(size=0))


@pytest.fixture
async def made() -> AsyncIterator[Bench]:
    async with bench(COLD) as opened:
        yield opened


async def test_output_comes_while_the_program_runs_and_whole_in_the_end(made: Bench) -> None:
    code = "import sys, time\nprint('a')\nprint('b', file=sys.stderr)\ntime.sleep(1)\nprint('c')"

    report = await made.result(code)

    assert report == {"status": "ok", "exit_code": 0, "stdout": "a\nc\n", "stderr": "b\n"}
    assert len([text for stream, text in made.heard.outputs if stream == "stdout"]) > 1
    assert "".join(text for stream, text in made.heard.outputs if stream == "stdout") == "a\nc\n"


async def test_an_error_has_the_program_s_own_traceback_and_nothing_of_ours(made: Bench) -> None:
    report = await made.result("def f(x):\n    return 1 / x\n\nf(0)\n")

    assert (report["status"], report["exit_code"]) == ("error", 1)
    assert report["stderr"].splitlines()[0] == "Traceback (most recent call last):"
    assert "return 1 / x" in report["stderr"]
    assert report["stderr"].splitlines()[-1] == "ZeroDivisionError: division by zero"
    assert "callsheet" not in report["stderr"]
    assert "exec(" not in report["stderr"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; sys.exit('no')", {"status": "error", "exit_code": 1, "stderr": "no\n"}),
        ("raise SystemExit", {"status": "ok", "exit_code": 0}),
        ("raise KeyboardInterrupt", {"status": "error", "exit_code": 130}),
        ("import os; os.kill(os.getpid(), 9)", {"status": "killed", "exit_code": None}),
        ("import os; os.kill(os.getpid(), 15)", {"status": "error", "exit_code": 143}),
        ("x = []\nwhile True: x.append(bytearray(b'x' * 10**7))", {"status": "oom"}),
        ("import atexit; atexit.register(print, 'bye')", {"status": "ok", "stdout": "bye\n"}),
        ("print(input())", {"status": "error", "exit_code": 1}),
        ("print(__name__, __file__)", {"stdout": "__main__ /tmp/main.py\n"}),
        ("print('\\ud800')", {"status": "ok", "stdout": "\\ud800\n"}),
        ("import os; print(os.getcwd(), os.listdir())", {"stdout": "/workspace []\n"}),
    ],
)
async def test_how_programs_end(made: Bench, code: str, expected: dict[str, Any]) -> None:
    report = await made.result(code)

    assert {key: report[key] for key in expected} == expected


async def test_a_late_program_ends_and_its_output_and_files_come_back(made: Bench) -> None:
    code = "open('part.csv', 'w').write('1')\nprint('on', end='')\nwhile True: pass\n"

    report = await made.result(code, 2)

    assert (report["status"], report["exit_code"], report["stdout"]) == ("timeout", None, "on")
    assert report["reason"] == "It was stopped after 2 s."
    assert made.artifacts.files == {"part.csv": b"1"}


async def test_open_figures_come_back_where_nothing_was_saved(made: Bench) -> None:
    code = (
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.figure()\nplt.plot([2])\nplt.show()"
    )

    report = await made.result(code)

    assert [one["name"] for one in report["artifacts"]] == ["plot-1.png", "plot-2.png"]
    assert report["stderr"] == ""
    assert all(data.startswith(b"\x89PNG") for data in made.artifacts.files.values())


async def test_a_figure_that_the_program_saved_is_not_saved_again(made: Bench) -> None:
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('mine.png')"

    report = await made.result(code)

    assert [one["name"] for one in report["artifacts"]] == ["mine.png"]


async def test_files_over_the_limits_stay_and_are_told(made: Bench) -> None:
    code = """
for n in range(21): open(f"{n:02}.txt", "w").write("x")
with open("big.csv", "wb") as f: f.truncate(11 << 20)
open("tool.exe", "w").write("MZ")
open("page.png", "w").write("<script>")
import os; os.symlink("/etc/passwd", "passwd.txt"); os.mkfifo("pipe.txt")
"""

    report = await made.result(code)

    assert len(report["artifacts"]) == 20
    reasons = {one["name"]: one["reason"] for one in report["files_not_kept"]}
    assert reasons == {
        "20.txt": "more than 20 files",
        "big.csv": "it is larger than 10485760 bytes",
        "page.png": "more than 20 files",
        "tool.exe": "files of its type are not given back",
    }


async def test_a_program_cannot_speak_to_the_server_in_the_runner_s_name() -> None:
    code = """
import base64, os
frame = base64.b64decode("{frame}")
for fd in range(3, 64):
    try: os.write(fd, frame); print("ESCAPED", fd)
    except OSError: pass
for path in ("/proc/1/fd/1", "/proc/1/fd/3", "/proc/1/fd/4", "/dev/console", "/proc/1/mem"):
    try:
        with open(path, "wb", buffering=0) as file: file.write(frame); print("ESCAPED", path)
    except OSError: pass
os.write(1, frame)
""".replace("{frame}", base64.b64encode(bytes(16) + b"X\0\0\0\x02{}").decode())
    async with bench(replace(COLD, checks=dict.fromkeys(CHECKS, "allow"))) as made:
        report = await made.result(code)

    assert report["status"] == "ok"
    assert "ESCAPED" not in report["stdout"]
    assert report["stdout"].endswith("{}")


async def test_signals_to_the_first_process_change_nothing(made: Bench) -> None:
    code = """
import os
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
print("still here")
"""

    report = await made.result(code)

    assert (report["status"], report["stdout"]) == ("ok", "still here\n")


async def test_who_is_cancelled_waits_for_nothing_and_leaves_nothing(made: Bench) -> None:
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(made.call("print('on', flush=True)\nwhile True: pass", 60))
        while not made.heard.outputs:
            await asyncio.sleep(0.01)
        began = loop.time()
        task.cancel()
    assert loop.time() - began < 5


@pytest.mark.parametrize("size", [8, 2])
async def test_eight_at_once_all_come_through(size: int) -> None:
    options = replace(OPTIONS, pool=PoolOptions(size=size, fill="start", preload=()))
    async with bench(options, places=4) as made:
        await made.until_warm(size)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(made.result(f"print({n})")) for n in range(8)]

    assert [task.result()["stdout"] for task in tasks] == [f"{n}\n" for n in range(8)]


async def test_nothing_of_one_program_is_there_for_the_next() -> None:
    options = replace(OPTIONS, pool=PoolOptions(size=1, fill="start", preload=("json",)))
    code = """
import json, os, sys
print(hasattr(json, "mark"), os.path.exists("mark"), os.path.exists("/tmp/mark"))
json.mark = 1
for path in ("mark", "/tmp/mark"): open(path, "w").close()
"""
    async with bench(options) as made:
        for _ in range(3):
            await made.until_warm(1)
            assert (await made.result(code))["stdout"] == "False False False\n"


async def test_limits_are_those_of_the_options() -> None:
    limits = Limits(memory_mib=96, pids=20, workspace_mib=8, output_bytes=1024, code_bytes=2048)
    code = """
import threading, time
n = 0
try:
    while n < 100: threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += 1
except RuntimeError: pass
size = 0
try:
    with open("fill.bin", "wb", buffering=0) as file:
        while size < 64: file.write(bytes(1 << 20)); size += 1
except OSError: pass
print(n < 20, size)
print("x" * 2000)
"""
    async with bench(replace(COLD, limits=limits)) as made:
        report = await made.result(code)
        refused = await made.result("#" * 2049)

    assert report["stdout"].startswith("True 8\n")
    assert len(report["stdout"]) == 1024
    assert report["truncated"] == "984 more bytes of output were dropped."
    assert refused["status"] == "rejected"
