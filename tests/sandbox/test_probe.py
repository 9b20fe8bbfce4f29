"""Whether an engine is there, told apart from whether it may be used and has the image."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from callsheet.tools.sandbox.probe import DockerProbe
from callsheet.tools.sandbox.protocol import SandboxState

IMAGE = "callsheet-sandbox:0123"
PING, LOOK = "/_ping", f"/images/{IMAGE}/json"


@asynccontextmanager
async def engine(folder: Path, answers: Mapping[str, int]) -> AsyncIterator[str]:
    """Answers these paths with these codes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        code = answers[head.split()[1]]
        writer.write(
            f"HTTP/1.1 {code} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()

    path = folder / "engine.sock"
    async with await asyncio.start_unix_server(answer, path):
        yield f"unix://{path}"


@pytest.mark.parametrize(
    ("answers", "kind", "said"),
    [
        ({PING: 200, LOOK: 200}, "ready", ""),
        ({PING: 200, LOOK: 404}, "no_image", "`callsheet sandbox build` makes it"),
        ({PING: 500, LOOK: 200}, "no_engine", "answers 500"),
        ({PING: 200, LOOK: 503}, "no_engine", "and 503"),
    ],
)
async def test_what_the_engine_answers(
    tmp_path: Path, answers: Mapping[str, int], kind: str, said: str
) -> None:
    async with engine(tmp_path, answers) as address:
        found = await DockerProbe(address).state(IMAGE)

    assert found.kind == kind
    assert said in found.detail


async def test_where_nothing_listens_there_is_no_engine(tmp_path: Path) -> None:
    gone = tmp_path / "gone.sock"
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(gone))
    for address in (f"unix://{tmp_path}/none.sock", f"unix://{gone}", "tcp://127.0.0.1:1"):
        assert await DockerProbe(address).state(IMAGE) == SandboxState(
            "no_engine", f"No Docker engine answers at {address}."
        )


async def test_an_engine_that_hangs_up_is_none(tmp_path: Path) -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    path = tmp_path / "engine.sock"
    async with await asyncio.start_unix_server(hang_up, path):
        assert (await DockerProbe(f"unix://{path}").state(IMAGE)).kind == "no_engine"


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may use every socket, so that it has to be somebody else for a moment."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(before)


async def test_a_socket_that_may_not_be_used_is_told_as_that(tmp_path: Path) -> None:
    async with engine(tmp_path, {}) as address:
        (tmp_path / "engine.sock").chmod(0)
        with without_rights():
            found = await DockerProbe(address).state(IMAGE)

    assert found.kind == "no_permission"
