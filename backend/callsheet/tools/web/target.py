"""Where an address of the web leads, read in one way only.

Whatever two readers could understand differently is refused, not guessed: what is checked is what
is fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Final, Literal

from yarl import URL

from callsheet.kit.errors import ToolRetry
from callsheet.tools.web.address import IpAddress

_MOST_CHARS: Final = 4096
_PARTS: Final = re.compile(r"(?i:(https?)://)([^/?#]*)([^#]*)(?:#.*)?", re.DOTALL)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_QUAD: Final = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """`host` is a name in lower-case ASCII without the last dot, or an address in its one spelling;
    `address` is that address. `url` is built from these parts anew and has no fragment.
    """

    scheme: Literal["http", "https"]
    host: str
    port: int
    address: IpAddress | None
    url: str


def read_target(text: str) -> Target:
    """The parts of an absolute http or https address.

    Raises:
        ToolRetry: it is none, or one that could be read in two ways; the message says why.
    """
    text = text.strip()
    if len(text) > _MOST_CHARS:
        raise ToolRetry(f"The address is longer than {_MOST_CHARS} characters.")
    if "\\" in text or any(ch.isspace() or not ch.isprintable() for ch in text):
        raise ToolRetry(
            "The address holds spaces, backslashes or invisible characters; percent-encode them."
        )
    parts = _PARTS.fullmatch(text)
    if parts is None:
        named = _SCHEME.match(text)
        kind = f", not {named[0][:20]}" if named else ""
        raise ToolRetry(f"Give a whole address that begins with http:// or https://{kind}.")
    scheme: Literal["http", "https"] = "https" if parts[1].lower() == "https" else "http"
    host, address, port = _authority(parts[2])
    port = _DEFAULT_PORTS[scheme] if port is None else port
    return Target(scheme, host, port, address, _url(scheme, host, port, parts[3]))


def read_host_port(text: str) -> tuple[str, int]:
    """`host:port` as a target spells them; the port has to be there.

    Raises:
        ToolRetry: it is none.
    """
    host, _, port = _authority(text.strip())
    if port is None:
        raise ToolRetry("The port is missing.")
    return host, port


def _authority(text: str) -> tuple[str, IpAddress | None, int | None]:
    if "@" in text:
        raise ToolRetry("Addresses with a user name or a password are not fetched.")
    if "%" in text:
        raise ToolRetry("The host is percent-encoded or has a zone; write it plainly.")
    if text.startswith("["):
        inside, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ToolRetry("The host is no valid address.")
        address = _ipv6(inside)
        return str(address), address, _port(rest[1:]) if rest else None
    name, colon, port = text.partition(":")
    host, v4 = _name(name)
    return host, v4, _port(port) if colon else None


def _ipv6(text: str) -> IPv6Address:
    try:
        return IPv6Address(text)
    except ValueError:
        raise ToolRetry("The host is no valid address.") from None


def _port(text: str) -> int | None:
    if not text:
        return None
    if not _PORT.fullmatch(text) or not 1 <= int(text) <= 65_535:
        raise ToolRetry("The port is no number from 1 to 65535.")
    return int(text)


def _name(text: str) -> tuple[str, IPv4Address | None]:
    """The host in ASCII; one whose last part is a number is an IPv4 address or refused."""
    host = _ascii(text).lower().removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ToolRetry("The host is no valid name.")
    if not _NUMBER.fullmatch(labels[-1]):
        return host, None
    try:
        if not _QUAD.fullmatch(host):
            raise ValueError
        return host, IPv4Address(host)
    except ValueError:
        raise ToolRetry(
            "The host is a number in an unusual form; write addresses as four decimal numbers."
        ) from None


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        return URL.build(scheme="http", host=host).raw_host or ""
    except (ValueError, UnicodeError):
        raise ToolRetry("The host is no valid name.") from None


def _url(scheme: str, host: str, port: int, rest: str) -> str:
    """The whole address, as the client that fetches it reads it too."""
    named = f"[{host}]" if ":" in host else host
    ported = named if port == _DEFAULT_PORTS[scheme] else f"{named}:{port}"
    path = rest if rest.startswith("/") else f"/{rest}"
    try:
        url = URL(f"{scheme}://{ported}{path}")
        same = (url.scheme, url.raw_host, url.port) == (scheme, host, port)
    except (ValueError, UnicodeError):
        same = False
    if not same or url.raw_user is not None:
        raise ToolRetry("The address can be read in more than one way; write it plainly.")
    return str(url)
