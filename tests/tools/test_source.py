"""When two addresses are one page, and what a result with sources tells the model."""

from __future__ import annotations

import pytest

from callsheet.tools.source import Source, page_key
from callsheet.tools.sourced import numbered, sourced
from callsheet.tools.tell import Untold

SAME = [
    "https://example.com/a?b=c",
    "HTTPS://EXAMPLE.com:443/a?b=c#part",
    "https://example.com./a?b=c&utm_source=x&UTM_Campaign=y",
    "https://example.com/a?fbclid=1&b=c&gclid=2&msclkid=3",
    " https://example.com/a?b=c& ",
]
OTHERS = [
    "http://example.com/a?b=c",
    "https://example.com/A?b=c",
    "https://example.com/a/?b=c",
    "https://example.com:8443/a?b=c",
    "https://www.example.com/a?b=c",
    "https://example.com/a?b=d",
    "https://example.com/a?b=c&utm=1",
    "https://example.com/a",
    "kb:articles/7",
    "http://[",
]


@pytest.mark.parametrize("url", SAME)
def test_what_only_spells_or_tracks_makes_no_other_page(url: str) -> None:
    assert page_key(url) == "https://example.com/a?b=c"


def test_all_others_are_pages_of_their_own() -> None:
    assert len({page_key(url) for url in [SAME[0], *OTHERS]}) == len(OTHERS) + 1
    assert page_key("https://example.com") == page_key("https://example.com/")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", " java\tscript:alert(1)", "DATA:text/html,x", "\x01vbscript:x"]
)
def test_a_program_is_no_source(url: str) -> None:
    with pytest.raises(ValueError, match="not a program"):
        Source(url, "x")


def test_a_result_names_its_sources_with_their_numbers() -> None:
    tell = Untold()
    one, two = Source("https://a.example/", "A"), Source("https://b.example/#x", "")
    assert numbered(sourced("text", [one, two]), tell) == (
        "Sources, to be cited by number:\n[1] A <https://a.example/>\n"
        "[2] <https://b.example/#x>\n\ntext"
    )
    again = Source("https://b.example/", "B")
    assert numbered(sourced({"rows": 3}, [again]), tell) == {
        "sources": [{"number": 2, "title": "B", "url": "https://b.example/"}],
        "result": {"rows": 3},
    }
    assert numbered(sourced([1], []), tell) == [1]
    assert numbered("plain", tell) == "plain"
