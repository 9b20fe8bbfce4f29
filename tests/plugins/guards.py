"""No test reaches the outside, and none depends on the environment of whoever runs it."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from typing import Any, Final

_KEPT: Final = ("CALLSHEET_TEST_", "CALLSHEET_NOT_RUN_")
_REMOVED_PREFIXES: Final = ("CALLSHEET_", "CREWAI_", "OTEL_", "LITELLM_")
_REMOVED_SUFFIXES: Final = ("_API_KEY", "_PROXY", "_proxy", "_BASE_URL")


class OutsideReachedError(AssertionError):
    """A test tried to talk to another machine."""


def _is_local(host: str) -> bool:
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guard(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        sock, address = args
        if sock.family in {socket.AF_INET, socket.AF_INET6} and not _is_local(str(address[0])):
            raise OutsideReachedError(f"a connection to {address[0]} was refused")
    elif event == "socket.getaddrinfo":
        host = args[0].decode() if isinstance(args[0], bytes) else args[0]
        if host is not None and not _is_local(host) and not _is_address(host):
            raise OutsideReachedError(f"a look-up of {host} was refused")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_foreign(name: str) -> bool:
    if name.startswith(_KEPT):
        return False
    return name.startswith(_REMOVED_PREFIXES) or name.endswith(_REMOVED_SUFFIXES)


for _name in [name for name in os.environ if _is_foreign(name)]:
    del os.environ[_name]
sys.addaudithook(_guard)
