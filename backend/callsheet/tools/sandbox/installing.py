"""Follows the installation of a program's packages."""

from __future__ import annotations

import asyncio
import contextlib

from callsheet.tools.sandbox.box import Box
from callsheet.tools.sandbox.frames import Frame
from callsheet.tools.sandbox.inside.wire import INSTALLED, NO_NONCE
from callsheet.tools.sandbox.protocol import ExecutionResult, SandboxUnavailable

_FAILED = "The packages could not be installed, so the program was not run."


async def installed(box: Box, request: bytes, timeout_s: float) -> ExecutionResult | None:
    """Send the request and wait; None where all are there, else what to say of the program.

    Raises:
        SandboxUnavailable: the container ended meanwhile.
    """
    try:
        async with asyncio.timeout(timeout_s):
            async with contextlib.aclosing(box.frames(request, NO_NONCE)) as heard:
                async for frames in heard:
                    for frame in frames:
                        if frame.kind == INSTALLED:
                            return _judged(frame)
    except TimeoutError:
        reason = f"{_FAILED} It took longer than {timeout_s:g} s."
        return ExecutionResult("error", reason=reason)
    raise SandboxUnavailable("A container of the sandbox ended while packages were installed.")


def _judged(frame: Frame) -> ExecutionResult | None:
    value = frame.value()
    if value.get("exit_code") == 0:
        return None
    return ExecutionResult("error", stderr=str(value.get("output")), reason=_FAILED)
