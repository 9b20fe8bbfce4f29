"""Where a tool has something from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

_PROGRAMS: Final = ("javascript:", "data:", "vbscript:")
_SKIPPED: Final = re.compile(r"[\s\x00-\x1f]+")  # browsers do not see these in an address
_TRACKING: Final = re.compile(
    r"(?:utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id"
    r"|igshid|igsh|mc_cid|mc_eid|_hsenc|_hsmi|mkt_tok|oly_anon_id|oly_enc_id|vero_id|spm|scm)=.*",
    re.IGNORECASE | re.DOTALL,
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Source:
    """A page that can be cited. `published` as the source itself spells it.

    Raises ValueError where the address would run something in who follows it.
    """

    url: str
    title: str
    snippet: str = ""
    published: str | None = None

    def __post_init__(self) -> None:
        if _SKIPPED.sub("", self.url).lower().startswith(_PROGRAMS):
            raise ValueError("a source is a page, not a program")


def page_key(url: str) -> str:
    """The same for all addresses of one page.

    Case of scheme and host, default port, the place within the page and what only tracks the
    reader make no difference.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return url
    return _spelled(parts, host.removesuffix("."), port)


def _spelled(parts: SplitResult, host: str, port: int | None) -> str:
    place = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    kept = [each for each in parts.query.split("&") if each and not _TRACKING.fullmatch(each)]
    query = f"?{'&'.join(kept)}" if kept else ""
    return f"{parts.scheme}://{host}{place}{parts.path or '/'}{query}"
