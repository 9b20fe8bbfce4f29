"""A server that is started here, and spoken to line by line through its standard streams.

The SDK's own transport gives a server more of our environment than we want, keeps a line of any
length, and writes what it cannot read into the log; so the streams are ours, and the session on top
is the SDK's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import which
from typing import Any, Final

import anyio
from mcp.shared.message import SessionMessage

from callsheet.kit.log import get_log
from callsheet.tools.mcp.faults import ServerDown
from callsheet.tools.mcp.message import LARGEST_BYTES
from callsheet.tools.mcp.said import Said
from callsheet.tools.mcp.server import McpServer, Program
from callsheet.tools.mcp.spoken import spoken
from callsheet.tools.mcp.streams import Streams

_CHILD: Final = Path(__file__).with_name("child.py")
_GOES_WITHIN_S: Final = 1.0
_LOST_EXITS: Final = {126: "it may not be run", 127: "there is no such program"}

log = get_log(__name__)


@asynccontextmanager
async def program_streams(
    server: McpServer,
    program: Program,
    environment: Mapping[str, str],
    lost: Callable[[str], None],
) -> AsyncIterator[Streams]:
    """The running program's streams; when they are left, it and what it started are ended.

    `environment` is what every program gets; `lost` is told when it ends by itself, or sends what
    nobody can read.

    Raises:
        ServerDown: it could not be started.
    """
    process = await _started(program, environment)
    to_us, inbox = anyio.create_memory_object_stream[Any](0)
    outbox, from_us = anyio.create_memory_object_stream[Any](0)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_read(server.name, process, to_us, lost)),
                group.create_task(_write(process, from_us, lost)),
                group.create_task(Said(server.name, server.secrets).listen(process.stderr)),
            ]
            try:
                yield inbox, outbox
            finally:
                for task in tasks:
                    task.cancel()
    finally:
        for stream in (to_us, inbox, outbox, from_us):
            stream.close()
        await _ended(process)


async def _started(program: Program, environment: Mapping[str, str]) -> Process:
    env = {**environment, **program.env}
    is_named = "/" not in program.command
    if is_named and which(program.command, path=env.get("PATH", "")) is None:
        raise ServerDown(f"there is no program {program.command!r} on the PATH")
    command = [sys.executable, "-I", "-S", str(_CHILD), str(os.getpid())]
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            program.command,
            *program.args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=env,
            cwd=program.cwd,
            limit=LARGEST_BYTES,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ServerDown(f"it could not be started: {reason}") from None


async def _read(server: str, process: Process, to_us: Any, lost: Callable[[str], None]) -> None:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    strays = 0
    try:
        while line := await process.stdout.readline():
            message = spoken(line)
            if message is not None:
                await to_us.send(SessionMessage(message))
            elif (strays := strays + 1) == 1 and line.strip():
                log.warning("mcp_server_wrote_no_message", server=server, bytes=len(line))
    except ValueError:
        lost(f"it sent a message larger than {LARGEST_BYTES // 2**20} MiB")
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # nobody reads any more
    else:
        lost(await _how_it_ended(process))
    finally:
        to_us.close()


async def _how_it_ended(process: Process) -> str:
    """Why there is nothing more to read, waiting a moment for the program's own status."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_GOES_WITHIN_S):
            status = await process.wait()
            return f"it has ended: {_LOST_EXITS.get(status, f'status {status}')}"
    return "it closed its output"


async def _write(process: Process, from_us: Any, lost: Callable[[str], None]) -> None:
    assert process.stdin is not None  # noqa: S101 - it was asked for
    try:
        async for item in from_us:
            text = item.message.model_dump_json(by_alias=True, exclude_none=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()
    except (ConnectionError, BrokenPipeError):
        lost("it reads no more")


async def _ended(process: Process) -> None:
    """As the protocol says: its input ends; then it is asked to go; then it is killed.

    Whoever is cancelled meanwhile kills it at once.
    """
    if process.stdin is not None:
        process.stdin.close()
    try:
        for sign in (None, signal.SIGTERM):
            if sign is not None:
                _signal_all(process, sign)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GOES_WITHIN_S):
                    await process.wait()
                    break
    finally:
        _signal_all(process, signal.SIGKILL)  # also what it started, where that is still there
        await process.wait()
        # Pipes that somebody else holds open too would never be closed.
        process._transport.close()  # type: ignore[attr-defined]


def _signal_all(process: Process, sign: signal.Signals) -> None:
    """To the program's whole session, which has the program's own number."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)
