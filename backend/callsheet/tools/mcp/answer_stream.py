"""The bytes of an HTTP answer: bounded, and read line by line where it is a stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

import httpx

from callsheet.tools.mcp.message import LARGEST_BYTES, strict

TOO_LARGE: Final = f"it sent a message larger than {LARGEST_BYTES // 2**20} MiB"
_CUT_OFF: Final = "the line broke while it answered"


class EventStream(httpx.AsyncByteStream):
    """Events of a server: those that answer a message of ours, or its news.

    An answer that ends before it is whole ends with an error for whoever waits, so that they do not
    wait on. News only end where they break, and are taken up again; so is an answer that the server
    has numbered.
    """

    def __init__(
        self, inner: httpx.AsyncByteStream, failed: Callable[[str], bytes] | None = None
    ) -> None:
        """`failed` makes the message that ends an answer, from the reason; None: it is news."""
        self._inner = inner
        self._failed = failed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Line by line, as strict as the SDK reads them."""
        event_bytes, held, goes_on, reason = 0, bytearray(), self._failed is None, _CUT_OFF
        try:
            async for piece in self._inner:
                held += piece
                lines = held.split(b"\n") if b"\n" in piece else [held]
                held = lines.pop()
                for line in map(bytes, lines):
                    event_bytes = event_bytes + len(line) if line.strip() else 0
                    goes_on = goes_on or line.startswith(b"id:")
                    is_data = line.startswith(b"data:")
                    yield (b"data:" + strict(line[5:]) if is_data else line) + b"\n"
                if event_bytes + len(held) > LARGEST_BYTES:
                    goes_on, reason = self._failed is None, TOO_LARGE
                    break
        except httpx.TransportError:
            pass
        if self._failed is not None and not goes_on:
            # Whoever had its answer has stopped reading before.
            yield b"\nevent: message\ndata: " + self._failed(reason) + b"\n\n"

    async def aclose(self) -> None:
        """Nobody reads on."""
        await self._inner.aclose()


async def whole(inner: httpx.AsyncByteStream) -> bytes:
    """All of it; raises httpx.ReadError where it is too large."""
    pieces, size = list[bytes](), 0
    async for piece in inner:
        size += len(piece)
        if size > LARGEST_BYTES:
            raise httpx.ReadError(TOO_LARGE)
        pieces.append(piece)
    return b"".join(pieces)
