"""Who can reach the server, judged by the address that it listens on."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

from callsheet.kit.errors import SetupError

_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens on `host`."""
    bare = host.strip().strip("[]").lower()
    if bare == "localhost":
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False


def check_exposure(host: str, *, lets_somebody_in: bool) -> None:
    """Raise SetupError where others could reach a server that knows no key and no token.

    It would let nobody in; whoever starts it so has forgotten something.
    """
    if lets_somebody_in or is_loopback(host):
        return
    raise SetupError(
        f"The server would listen on {host!r}, which other machines can reach, and knows nobody. "
        "Set CALLSHEET_AUTH__API_KEYS=name:key, make a key with `callsheet keys create --user "
        "NAME`, set CALLSHEET_AUTH__JWT__..., or listen on 127.0.0.1."
    )


def own_hosts(host: str) -> frozenset[str]:
    """The names under which a keyless local server answers, without port."""
    bare = host.strip().strip("[]").lower()
    return _LOOPBACK_NAMES | {bare} if is_loopback(host) else _LOOPBACK_NAMES
