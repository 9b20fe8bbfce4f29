"""One container behind its stream; here the other end of a socket plays it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

import pytest

from callsheet.tools.sandbox.box import StreamBox
from callsheet.tools.sandbox.frames import Frame
from callsheet.tools.sandbox.inside.wire import NO_NONCE, READY, STDOUT
from callsheet.tools.sandbox.protocol import SandboxUnavailable
from tests.sandbox.runner_words import NONCE, out, piece, word


@dataclass
class Container:
    removed: int = 0

    def remove(self) -> None:
        self.removed += 1

    async def unplug(self) -> None:
        raise AssertionError


@dataclass
class Ends:
    box: StreamBox
    runner: socket.socket
    container: Container


@pytest.fixture
async def ends() -> AsyncIterator[Ends]:
    ours, theirs = socket.socketpair()
    container = Container()
    box = await StreamBox.over(ours, container)
    with theirs:
        yield Ends(box, theirs, container)
        box.remove()


READY_WORD = word(READY, {"python": "3.11"}, nonce=NO_NONCE)


async def test_it_is_ready_once_its_runner_says_so(ends: Ends) -> None:
    ends.runner.sendall(READY_WORD)

    await ends.box.ready()

    assert ends.box.is_alive


async def test_a_runner_that_does_not_start_is_told_with_its_last_words(ends: Ends) -> None:
    said = b"Traceback ...\nModuleNotFoundError: No module named 'ctypes'\n"
    ends.runner.sendall(piece(said, stream=2))
    ends.runner.close()

    with pytest.raises(SandboxUnavailable, match=r"did not start\. ModuleNotFoundError"):
        await ends.box.ready()


async def test_the_request_goes_out_and_frames_come_in(ends: Ends) -> None:
    ends.runner.sendall(out(b"hi"))
    async with aclosing(ends.box.frames(b"request", NONCE)) as frames:
        together = await anext(frames)

    assert together == [Frame(STDOUT, b"hi")]
    assert ends.runner.recv(100) == b"request"


async def test_frames_end_where_the_container_is_gone(ends: Ends) -> None:
    ends.runner.close()

    assert [each async for each in ends.box.frames(b"request", NONCE)] == []
    assert not ends.box.is_alive


async def test_it_is_removed_once(ends: Ends) -> None:
    ends.box.remove()
    ends.box.remove()

    assert ends.container.removed == 1
    assert not ends.box.is_alive
