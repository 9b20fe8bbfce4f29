"""Why a server cannot be used, in words that hold nothing of its address, headers or arguments."""

from __future__ import annotations

from collections.abc import Iterator

from callsheet.tools.mcp.faults import CallRefused, ConnectionLost, NotAsked, ServerDown


def reason_of(error: BaseException) -> str:
    """The first thing in it that says something; groups are looked through."""
    leaves = list(_leaves(error))
    for leaf in leaves:
        if isinstance(leaf, ServerDown | NotAsked | ConnectionLost | CallRefused):
            return str(leaf)[:300]
        if isinstance(leaf, TimeoutError):
            return "it did not answer in time"
        found = getattr(leaf, "error", None)  # the SDK's McpError
        if isinstance(message := getattr(found, "message", None), str):
            return message[:300]
    return f"it cannot be spoken to ({type(leaves[0]).__name__})"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
