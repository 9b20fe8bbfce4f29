"""What came from the web."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fetched:
    """`url` is where it was at last, `media_type` in lower case without parameters ("" where it is
    not said), `charset` as the server named it. `body` is unpacked; `is_cut`: there was more.
    """

    url: str
    media_type: str
    charset: str | None
    body: bytes
    is_cut: bool
