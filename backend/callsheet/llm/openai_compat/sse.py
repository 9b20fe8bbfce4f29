"""Splits a stream of bytes into server-sent events, whatever way the network cut it."""

from __future__ import annotations

from typing import Final

import msgspec

FRAME_LIMIT_BYTES: Final = 4 * 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One event: its data lines joined by LF, and its name where it has one."""

    data: bytes
    event: bytes = b""


class FrameTooLargeError(ValueError):
    """One event is longer than the limit."""


class SseReader:
    """Fed with bytes as they come, gives back the events that are complete.

    Lines may end in LF, CRLF or CR. Comments, `id` and `retry` are skipped. Nothing is decoded
    here, so that a character may be cut anywhere.
    """

    def __init__(self, limit_bytes: int = FRAME_LIMIT_BYTES) -> None:
        self._limit = limit_bytes
        self._tail = bytearray()
        self._data: list[bytes] = []
        self._held = 0
        self._event = b""
        self._after_cr = False
        self._at_start = True

    def feed(self, chunk: bytes) -> list[Frame]:
        """The events that `chunk` completed; raises FrameTooLargeError."""
        if self._after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in chunk:
            self._tail += chunk
            self._check(len(self._tail))
            return []
        *lines, last = (bytes(self._tail) + chunk).split(b"\n")
        self._tail = bytearray(last)
        frames: list[Frame] = []
        for line in lines:
            if line:
                self._take(line)
            elif self._data or self._event:
                self._end(frames)
        self._check(len(last))
        return frames

    def finish(self) -> list[Frame]:
        """What stood in the buffer when the stream ended, as if its blank line had come."""
        return self.feed(b"\n\n")

    def _take(self, line: bytes) -> None:
        if self._at_start:
            line = line.removeprefix(_BOM)
            self._at_start = False
        if line.startswith(b"data:"):
            value = line[6:] if line[5:6] == b" " else line[5:]
            self._held += len(value)
            self._check(0)
            self._data.append(value)
        elif line.startswith(b"event:"):
            self._event = line[6:].strip()

    def _end(self, frames: list[Frame]) -> None:
        if self._data:
            data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
            frames.append(Frame(data, self._event))
        self._data, self._held, self._event = [], 0, b""

    def _check(self, more: int) -> None:
        if self._held + more > self._limit:
            raise FrameTooLargeError(f"an event of the stream is longer than {self._limit} bytes")
