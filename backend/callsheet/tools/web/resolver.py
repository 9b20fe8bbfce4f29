"""Looking up the addresses of a host."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Protocol

from callsheet.kit.errors import ToolFailed
from callsheet.tools.web.address import IpAddress


class Resolver(Protocol):
    """Knows the addresses of hosts."""

    async def addresses(self, host: str) -> Sequence[IpAddress]:
        """All of them, at least one.

        Raises:
            ToolFailed: there is none.
        """
        ...


class SystemResolver:
    """Asks as every program of this machine does."""

    async def addresses(self, host: str) -> Sequence[IpAddress]:
        """See `Resolver.addresses`."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            addresses = [ip_address(entry[4][0]) for entry in found]
        except (OSError, ValueError):
            addresses = []
        if not addresses:
            raise ToolFailed(f"No host called {host} was found.")
        return list(dict.fromkeys(addresses))
