"""Lines typed at the terminal, without blocking the event loop."""

from __future__ import annotations

import asyncio
import os
import sys


class LineReader:
    """Reads standard input line by line, on the loop that it is made on."""

    def __init__(self) -> None:
        self._buffer = b""
        self._file = sys.stdin.fileno()
        self._wake = asyncio.Event()
        self._stopped = False

    def stop(self) -> None:
        """Make the `read` that waits, and every later one, return None."""
        self._stopped = True
        self._wake.set()

    async def read(self) -> str | None:
        """The next line without its end; None at the end of the input."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._file, self._wake.set)
        try:
            while b"\n" not in self._buffer:
                await self._wake.wait()
                self._wake.clear()
                more = b"" if self._stopped else os.read(self._file, 65_536)
                if not more:
                    return None
                self._buffer += more
        finally:
            loop.remove_reader(self._file)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace")
