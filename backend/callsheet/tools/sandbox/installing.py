"""Follows the installation of a program's packages."""

from __future__ import annotations

import asyncio

from callsheet.tools.sandbox.box import Box
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
            async for frames in box.frames(request, NO_NONCE):
                for frame in frames:
                    if frame.kind == INSTALLED:
                        value = frame.value()
                        return _judged(int(value.get("exit_code", 1)), str(value.get("output")))
    except TimeoutError:
        reason = f"{_FAILED} It took longer than {timeout_s:g} s."
        return ExecutionResult("error", reason=reason)
    raise SandboxUnavailable("A container of the sandbox ended while packages were installed.")


def _judged(exit_code: int, output: str) -> ExecutionResult | None:
    return None if exit_code == 0 else ExecutionResult("error", stderr=output, reason=_FAILED)
