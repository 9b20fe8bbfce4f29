"""Reads a container's attached stream: the engine's pieces, and the runner's frames in them."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from callsheet.tools.sandbox.inside.wire import HEADER, KINDS, LENGTH, MOST_PAYLOAD, NO_NONCE
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import Program, SandboxUnavailable

_PIECE: Final = struct.Struct("!BxxxI")
_STDOUT: Final = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """One word of the runner's."""

    kind: bytes
    payload: bytes

    def value(self) -> Mapping[str, Any]:
        """The payload of a kind that is JSON."""
        try:
            value = json.loads(self.payload)
        except ValueError as error:
            raise SandboxUnavailable("The sandbox's runner said something unreadable.") from error
        if not isinstance(value, dict):
            raise SandboxUnavailable("The sandbox's runner said something unexpected.")
        return value


class FrameReader:
    """Takes bytes as they come and gives whole frames.

    `nonce` is what each frame must begin with. What the runner writes beside the frames is a fault
    of its own and kept in `faults`, up to 4 KiB.
    """

    def __init__(self) -> None:
        self.nonce = NO_NONCE
        self.faults = b""
        self._raw = bytearray()
        self._frames = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are whole now.

        Raises:
            SandboxUnavailable: what came is none.
        """
        self._raw += data
        while len(self._raw) >= _PIECE.size:
            stream, size = _PIECE.unpack_from(self._raw)
            end = _PIECE.size + size
            if len(self._raw) < end:
                break
            if stream == _STDOUT:
                self._frames += self._raw[_PIECE.size : end]
            else:
                self.faults = (self.faults + self._raw[_PIECE.size : end])[:4096]
            del self._raw[:end]
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if len(self._frames) < HEADER.size:
            return None
        nonce, kind, size = HEADER.unpack_from(self._frames)
        if nonce != self.nonce or kind not in KINDS or size > MOST_PAYLOAD:
            raise SandboxUnavailable("Something that is no frame came out of the sandbox.")
        end = HEADER.size + size
        if len(self._frames) < end:
            return None
        payload = bytes(self._frames[HEADER.size : end])
        del self._frames[:end]
        return Frame(kind, payload)


GO: Final = b"+"
"""Sent between the request and the nonce where packages were to be installed."""


def request_of(program: Program, options: SandboxOptions) -> bytes:
    """What the runner is sent, but for the nonce."""
    limits = options.limits
    head = json.dumps(
        {
            "code": program.code,
            "rules": {name: does for name, does in options.checks.items() if does != "allow"},
            "files": [{"name": file.name, "size": len(file.data)} for file in program.files],
            "packages": list(program.packages),
            "index": options.install.index if options.install else None,
            "timeout_s": program.timeout_s,
            "output_bytes": limits.output_bytes,
            "most_files": limits.files,
            "file_bytes": limits.file_bytes,
            "total_bytes": limits.files_bytes,
            "suffixes": list(options.suffixes),
        }
    ).encode("ascii")
    return b"".join((LENGTH.pack(len(head)), head, *(file.data for file in program.files)))
