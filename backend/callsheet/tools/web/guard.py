"""What may be fetched, and from where: pages of the internet, and what the operator names.

Judged before each hop, with all addresses that the host has; nothing here talks to anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from callsheet.kit.errors import SetupError, ToolFailed, ToolRetry
from callsheet.tools.web.address import IpAddress, is_public, may_be_own
from callsheet.tools.web.target import Target, read_host_port

PORTS: Final = frozenset({80, 443, 8080, 8443})
"""Where web servers stand. Others are those of mail, databases and the like."""

_INSIDE_NAMES: Final = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "in-addr.arpa",
    "ip6.arpa",
)


@dataclass(frozen=True, slots=True)
class AllowList:
    """Services of the operator's own that may be fetched wherever they stand: exact host and port.

    A name in it covers neither its subdomains nor its address, an address no name.
    """

    services: frozenset[tuple[str, int]] = frozenset()

    def has(self, target: Target) -> bool:
        """Whether the target is one of them."""
        return (target.host, target.port) in self.services


def read_allow_list(entries: Iterable[str]) -> AllowList:
    """The list from `host:port` entries.

    Raises:
        SetupError: one of them is none.
    """
    services = set()
    for entry in entries:
        try:
            services.add(read_host_port(entry))
        except ToolRetry as error:
            raise SetupError(
                f"{entry!r} is no service that may be fetched; write host:port. {error}"
            ) from error
    return AllowList(frozenset(services))


def judge_target(target: Target, allowed: AllowList) -> None:
    """Judge what can be told before the host is looked up.

    Raises:
        ToolFailed: it may not be fetched.
    """
    if allowed.has(target):
        return
    if target.address is not None:
        judge_addresses(target, (target.address,), allowed)
    elif "." not in target.host or _is_inside(target.host):
        raise _not_public(target)
    if target.port not in PORTS:
        usual = ", ".join(map(str, sorted(PORTS)))
        raise ToolFailed(f"Port {target.port} is not fetched from, only {usual}.")


def judge_addresses(target: Target, addresses: Sequence[IpAddress], allowed: AllowList) -> None:
    """Judge all the addresses of the host: one that is inside is one too many.

    What the operator named as an address is meant; a name of theirs may stand for what is inside,
    but not for metadata and the like.

    Raises:
        ToolFailed: it may not be fetched. The address is not told: only the operator, whose log
            has it, is to know what a name stands for inside.
    """
    if allowed.has(target):
        fits = target.address is not None or all(map(may_be_own, addresses))
    else:
        fits = all(map(is_public, addresses))
    if not addresses or not fits:
        raise _not_public(target)


def _is_inside(host: str) -> bool:
    return any(host == name or host.endswith(f".{name}") for name in _INSIDE_NAMES)


def _not_public(target: Target) -> ToolFailed:
    return ToolFailed(
        f"{target.host} is not on the public internet, and only pages there are fetched."
    )
