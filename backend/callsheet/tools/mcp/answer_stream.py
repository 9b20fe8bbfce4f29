"""The bytes of an HTTP answer: bounded, and read line by line where it is a stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

import httpx

from callsheet.tools.mcp.message import LARGEST_BYTES, strict

TOO_LARGE: Final = f"it sent a message larger than {LARGEST_BYTES // 2**20} MiB"
_CUT_OFF: Final = "the line broke while it answered"


class EventStream(httpx.AsyncByteStream):
    """Events of a server. A stream of news only ends where it breaks, and is taken up again."""

    def __init__(
        self, inner: httpx.AsyncByteStream, broke: Callable[[str], None], *, is_news: bool
    ) -> None:
        self._inner = inner
        self._broke = broke
        self._is_news = is_news

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Line by line, as strict as the SDK reads them."""
        event_bytes, held, may_resume = 0, bytearray(), self._is_news
        try:
            async for piece in self._inner:
                held += piece
                lines = held.split(b"\n") if b"\n" in piece else [held]
                held = lines.pop()
                for line in map(bytes, lines):
                    event_bytes = event_bytes + len(line) if line.strip() else 0
                    may_resume = may_resume or line.startswith(b"id:")
                    yield (
                        b"data:" + strict(line[5:]) if line.startswith(b"data:") else line
                    ) + b"\n"
                if event_bytes + len(held) > LARGEST_BYTES:
                    self._broke(TOO_LARGE)
                    return
        except httpx.TransportError:
            may_resume = self._is_news
        if not may_resume:
            # Whoever had its answer has stopped reading before.
            self._broke(_CUT_OFF)

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
