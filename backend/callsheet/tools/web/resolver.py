"""Looking up the addresses of a host."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from functools import partial
from ipaddress import ip_address
from typing import Final, Protocol

from callsheet.kit.errors import ToolFailed
from callsheet.kit.threads import Threads
from callsheet.tools.web.address import IpAddress

_AT_ONCE: Final = 8


class Resolver(Protocol):
    """Knows the addresses of hosts."""

    async def addresses(self, host: str) -> Sequence[IpAddress]:
        """All of them, at least one.

        Raises:
            ToolFailed: there is none.
        """
        ...


class SystemResolver:
    """Asks as every program of this machine does.

    A look-up blocks its thread until the system gives up, so it has threads of its own: names that
    nobody answers for hold up other look-ups at most.
    """

    def __init__(self) -> None:
        self._threads = Threads("web-names", limit=_AT_ONCE)

    async def addresses(self, host: str) -> Sequence[IpAddress]:
        """See `Resolver.addresses`."""
        try:
            found = await self._threads.run(partial(_looked_up, host))
            addresses = [ip_address(each) for each in found]
        except (OSError, ValueError):
            addresses = []
        if not addresses:
            raise ToolFailed(f"No host called {host} was found.")
        return list(dict.fromkeys(addresses))


def _looked_up(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]
