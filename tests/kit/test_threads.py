from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from typing import Any

import pytest

from callsheet.kit.threads import Threads

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


async def test_it_works_in_a_thread_with_the_callers_context() -> None:
    threads = Threads("kit", limit=1)
    WHO.set("alice")
    names = await threads.run(lambda: (threading.current_thread().name, WHO.get()))
    assert names == ("kit-1", "alice")


async def test_no_more_than_the_limit_run_at_once_and_all_are_done() -> None:
    threads = Threads("kit", limit=3)
    lock, count, most = threading.Lock(), 0, 0
    gate = threading.Event()

    def work() -> None:
        nonlocal count, most
        with lock:
            count += 1
            most = max(most, count)
        gate.wait(20)
        with lock:
            count -= 1

    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(threads.run(work))
        while count < 3:
            await asyncio.sleep(0.01)
        gate.set()
    assert (most, count) == (3, 0)


async def test_a_thread_that_is_free_is_used_again() -> None:
    threads = Threads("kit", limit=5)
    names = [await threads.run(lambda: threading.current_thread().name) for _ in range(4)]
    assert set(names) == {"kit-1"}


def stop() -> Any:
    raise StopIteration


def leave() -> Any:
    sys.exit(3)


@pytest.mark.parametrize("work", [stop, leave])
async def test_what_would_end_the_waiter_or_the_process_is_an_error(work: Any) -> None:
    with pytest.raises(RuntimeError):
        await Threads("kit", limit=1).run(work)


async def test_an_error_is_handed_over() -> None:
    with pytest.raises(ZeroDivisionError):
        await Threads("kit", limit=1).run(lambda: 1 / 0)


async def test_what_waits_for_a_thread_and_is_cancelled_is_never_done() -> None:
    threads = Threads("kit", limit=1)
    gate, begun = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        gate.wait(20)

    async with asyncio.TaskGroup() as group:
        group.create_task(threads.run(first))
        second = group.create_task(threads.run(lambda: done.append("second")))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.sleep(0)
        gate.set()
    await threads.run(lambda: done.append("third"))
    assert done == ["third"]


def test_a_thread_that_hangs_does_not_keep_the_process() -> None:
    code = """
import asyncio, threading
from callsheet.kit.threads import Threads
async def main():
    try:
        async with asyncio.timeout(0.2):
            await Threads("hung", limit=1).run(threading.Event().wait)
    except TimeoutError:
        print("gave up")
asyncio.run(main())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, "gave up"), ran.stderr
