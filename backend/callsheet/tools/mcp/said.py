"""What a server writes to its standard error, in our log: as much as anybody would read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from callsheet.kit.log import get_log
from callsheet.kit.text import clean
from callsheet.tools.mcp.result import masked

_LONGEST: Final = 1_000
_MOST: Final = 60
_WITHIN_S: Final = 60.0
_PIECE: Final = 16_384

log = get_log(__name__)


class Said:
    """At most so many lines a minute, each cut; the rest is read and dropped."""

    def __init__(self, server: str, secrets: Sequence[str]) -> None:
        """`secrets` are not repeated."""
        self._server = server
        self._secrets = secrets
        self._since = time.monotonic()
        self._count = 0

    async def listen(self, stream: asyncio.StreamReader | None) -> None:
        """Until there is no more."""
        held = b""
        while stream is not None and (piece := await stream.read(_PIECE)):
            *lines, held = (held + piece).split(b"\n")
            for line in lines:
                self._tell(line)
            held = held[:_PIECE]
        if held:
            self._tell(held)

    def _tell(self, line: bytes) -> None:
        text = masked(clean(line.decode("utf-8", "replace")).strip(), self._secrets)[:_LONGEST]
        if not text:
            return
        now = time.monotonic()
        if now - self._since > _WITHIN_S:
            self._since, self._count = now, 0
        self._count += 1
        if self._count <= _MOST:
            log.info("mcp_server_said", server=self._server, line=text)
        elif self._count == _MOST + 1:
            log.info("mcp_server_says_too_much", server=self._server)
