"""How bytes get to a provider and back. The rehearsal serves the same protocol in-process."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import Timeouts

FaultKind = Literal[
    "unreachable", "connect_timeout", "first_byte_timeout", "gap_timeout", "deadline", "cut"
]


class TransportError(Exception):
    """The connection failed; `kind` says when."""

    def __init__(self, kind: FaultKind) -> None:
        super().__init__(kind)
        self.kind: FaultKind = kind


class Response(Protocol):
    """An answer whose head has arrived. `headers` are looked up without regard to case."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    async def read(self) -> bytes:
        """All bytes that have arrived since the last read, waiting for one; empty at the end.

        Raises:
            TransportError: no byte within the time, the deadline passed, or the connection broke.
        """
        ...

    async def drain(self, seconds: float) -> None:
        """Give the connection back for the next request if the end comes within `seconds`."""
        ...


class Transport(Protocol):
    """Sends one request. Leaving the block before the end closes the connection at once."""

    def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        timeouts: Timeouts,
        deadline: Deadline,
    ) -> AbstractAsyncContextManager[Response]:
        """Entering raises TransportError where no head of an answer came."""
        ...
