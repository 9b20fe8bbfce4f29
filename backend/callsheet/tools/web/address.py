"""Which addresses of the net may be talked to: those that anybody on the internet can reach.

The tables are our own, so that what is refused does not change with the version of Python.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

IpAddress = IPv4Address | IPv6Address

_INSIDE_V4: Final = (
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),  # behind a provider's NAT; 100.100.100.200 has metadata
    IPv4Network("127.0.0.0/8"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
)
_NEVER_V4: Final = (
    IPv4Network("0.0.0.0/8"),  # reaches this machine
    IPv4Network("168.63.129.16/32"),  # a cloud's host agent, at a public address
    IPv4Network("169.254.0.0/16"),  # link-local, with the metadata of most clouds
    IPv4Network("192.0.0.0/24"),  # protocol assignments; 192.0.0.192 has metadata
    IPv4Network("192.0.2.0/24"),
    IPv4Network("192.31.196.0/24"),
    IPv4Network("192.52.193.0/24"),
    IPv4Network("192.88.99.0/24"),  # relays to IPv6
    IPv4Network("192.175.48.0/24"),
    IPv4Network("198.18.0.0/15"),
    IPv4Network("198.51.100.0/24"),
    IPv4Network("203.0.113.0/24"),
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, and broadcast
)

_PUBLIC_V6: Final = IPv6Network("2000::/3")
_INSIDE_V6: Final = (IPv6Network("::1/128"), IPv6Network("fc00::/7"))
_METADATA_V6: Final = (
    IPv6Network("fd00:ec2::/32"),
    IPv6Network("fd20:ce::/32"),
    IPv6Network("fd00:42::42/128"),
)
_NEVER_V6: Final = (
    IPv6Network("2001::/23"),  # protocol assignments, Teredo and ORCHID among them
    IPv6Network("2001:db8::/32"),
    IPv6Network("2002::/16"),  # 6to4: leads to any IPv4 address
    IPv6Network("3fff::/20"),
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})


def is_public(address: IpAddress) -> bool:
    """Whether it belongs to the internet, and to nothing that stands for another address.

    The one exception is the well-known prefix by which networks without IPv4 reach it: there the
    address inside counts.
    """
    if isinstance(address, IPv4Address):
        return not _in(address, _INSIDE_V4) and not _in(address, _NEVER_V4) and address.is_global
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if address.scope_id is not None or address not in _PUBLIC_V6:
        return False
    leads_inside = (int(address) >> 32) & 0xFFFFFFFF in _ISATAP
    return not leads_inside and not _in(address, _NEVER_V6) and address.is_global


def may_be_own(address: IpAddress) -> bool:
    """Whether a service of the operator's may stand there: anywhere but at metadata, multicast,
    link-local and reserved addresses, to which a name is only ever pointed in bad faith.
    """
    if isinstance(address, IPv4Address):
        metadata = address == IPv4Address("100.100.100.200")
        return not metadata and (is_public(address) or _in(address, _INSIDE_V4))
    if address.scope_id is not None or _in(address, _METADATA_V6):
        return False
    return is_public(address) or _in(address, _INSIDE_V6)


def _in(address: IpAddress, networks: tuple[IPv4Network, ...] | tuple[IPv6Network, ...]) -> bool:
    return any(address in network for network in networks)
