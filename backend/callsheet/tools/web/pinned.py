"""A connection to the addresses that were checked, and to no other."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address

from aiohttp.abc import AbstractResolver, ResolveResult

from callsheet.tools.web.address import IpAddress


class PinnedAddresses(AbstractResolver):
    """Answers with the given addresses for the one host, whatever its name may lead to by now."""

    def __init__(self, host: str, addresses: Sequence[IpAddress]) -> None:
        self._host = host
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The checked addresses; OSError for any other host."""
        if host != self._host:
            raise OSError(f"{host} was not checked")
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        """Holds nothing."""
