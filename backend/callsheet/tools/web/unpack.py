"""Compressed bodies, unpacked no further than a limit: a small body can hold a huge one."""

from __future__ import annotations

import zlib
from typing import Final

from callsheet.kit.errors import ToolFailed

ACCEPTED: Final = "gzip, deflate"
_PLAIN: Final = frozenset({"", "identity"})
_KNOWN: Final = _PLAIN | {"gzip", "x-gzip", "deflate"}
_GZIP_BEGINS: Final = b"\x1f\x8b"


class Unpacked:
    """Takes a body piece by piece; `data` is what it says, `is_cut` whether more was to come."""

    def __init__(self, encoding: str, *, max_bytes: int) -> None:
        """`encoding` is the Content-Encoding; the limit is for both forms of the body.

        Raises:
            ToolFailed: it is none that is read.
        """
        self.data = bytearray()
        self.is_cut = False
        self._max_bytes = max_bytes
        self._taken_bytes = 0
        self._encoding = encoding.strip().lower()
        self._unpack: zlib._Decompress | None = None
        if self._encoding not in _KNOWN:
            raise ToolFailed(f"The page is packed as {self._encoding[:40]!r}, which is not read.")

    def feed(self, piece: bytes) -> None:
        """Take one piece in; ignored once it is cut.

        Raises:
            ToolFailed: it is not packed as it says.
        """
        self._taken_bytes += len(piece)
        if self._encoding in _PLAIN:
            self._keep(piece)
            return
        try:
            while piece and not self.is_cut:
                piece = self._unpacked(piece)
        except zlib.error as error:
            raise ToolFailed("The page is not packed as it says, and cannot be read.") from error
        self.is_cut = self.is_cut or self._taken_bytes > self._max_bytes

    def _unpacked(self, piece: bytes) -> bytes:
        """Unpack as much as there is room for, and give back what is left of the piece."""
        unpack = self._unpack = self._unpack or self._unpacker(piece)
        if unpack.eof:  # what follows is no part of it
            return b""
        self._keep(unpack.decompress(piece, self._max_bytes + 1 - len(self.data)))
        behind = unpack.unused_data
        if behind.startswith(_GZIP_BEGINS):
            self._unpack = None
            return behind
        return unpack.unconsumed_tail

    def _keep(self, piece: bytes) -> None:
        self.data += piece
        if len(self.data) > self._max_bytes:
            del self.data[self._max_bytes :]
            self.is_cut = True

    def _unpacker(self, first: bytes) -> zlib._Decompress:
        if self._encoding != "deflate":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        # Some servers send it bare, others, as they should, within zlib's own frame.
        has_frame = (first[0] & 0x0F) == zlib.DEFLATED
        return zlib.decompressobj(zlib.MAX_WBITS if has_frame else -zlib.MAX_WBITS)
