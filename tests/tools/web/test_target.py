"""What is read of an address is what every other reader of it finds there."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from callsheet.kit.errors import ToolRetry
from callsheet.tools.web.target import read_target

_SIGNS = "0127afxX.．。①②⑦⓪１２７%-_[]:@/\\#? \t\n\u00ad\u200b\u0661éß"
_PIECES = st.sampled_from(
    ["127", "0x7f", "0177", "1", "2130706433", "::1", "a", "com", "localhost"]
)
_HOSTS = st.lists(st.one_of(_PIECES, st.text(_SIGNS, max_size=4)), max_size=8).map("".join)


@given(_HOSTS, st.sampled_from(["http://", "https://", "HTTP://"]), st.text(_SIGNS, max_size=8))
def test_what_is_accepted_has_one_meaning(host: str, scheme: str, rest: str) -> None:
    try:
        target = read_target(f"{scheme}{host}{rest}")
    except ToolRetry:
        return
    assert target.host == target.host.lower()
    assert target.host.isascii()
    assert urlsplit(target.url).hostname == target.host == URL(target.url).raw_host
    assert (urlsplit(target.url).username, urlsplit(target.url).fragment) == (None, "")
    if target.address is None:
        # The system's own reader takes `127.1`, `0x7f000001` and the like for addresses.
        with pytest.raises(OSError, match="illegal"):
            socket.inet_aton(target.host)
    else:
        assert str(target.address) == target.host
    again = read_target(target.url)
    assert again == target
