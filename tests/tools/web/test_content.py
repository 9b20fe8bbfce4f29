"""What kind of thing came, and in which letters."""

from __future__ import annotations

import pytest

from callsheet.kit.errors import ToolFailed
from callsheet.tools.web.content import kind_of, must_be_text, text_of
from callsheet.tools.web.fetched import Fetched


def came(body: bytes, media_type: str = "text/html", charset: str | None = None) -> Fetched:
    return Fetched("https://example.com/", media_type, charset, body, is_cut=False)


@pytest.mark.parametrize(
    "media_type",
    ["", "text/html", "text/plain", "text/csv", "application/json", "application/ld+json",
     "application/problem+json", "application/xml", "application/rss+xml", "image/svg+xml",
     "application/xhtml+xml", "application/x-ndjson", "application/yaml"],
)  # fmt: skip
def test_text_is_read(media_type: str) -> None:
    must_be_text(media_type, 10)


@pytest.mark.parametrize(
    ("media_type", "length", "said"),
    [
        ("application/pdf", 1_234_567, "application/pdf of 1,234,567 bytes"),
        ("image/png", None, "image/png of unknown size"),
        ("application/octet-stream", 3, "application/octet-stream of 3 bytes"),
        ("video/mp4", 3, "video/mp4 of 3 bytes"),
        ("application/zip", 3, "application/zip of 3 bytes"),
    ],
)
def test_other_types_are_refused_with_type_and_size(
    media_type: str, length: int | None, said: str
) -> None:
    with pytest.raises(ToolFailed, match=said):
        must_be_text(media_type, length)


def test_what_says_nothing_or_lies_is_looked_at() -> None:
    assert kind_of(came(b"  <!DOCTYPE html><p>", "")) == "html"
    assert kind_of(came(b"<html>", "")) == "html"
    assert kind_of(came(b"hello", "")) == "text"
    assert kind_of(came(b"<html>", "text/plain")) == "text"
    with pytest.raises(ToolFailed, match="binary data"):
        kind_of(came(b"%PDF\0\x01", "text/plain"))
    assert kind_of(came("<p>".encode("utf-16"), "text/html")) == "html"
    assert kind_of(came("<p>".encode("utf-16-le"), "text/html", "UTF-16LE")) == "html"


WORDS = "Grüße, 你好, мир"


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        (WORDS.encode(), "utf-8", WORDS),
        (WORDS.encode(), None, WORDS),
        (WORDS.encode("utf-8-sig"), "latin-1", WORDS),
        (WORDS.encode("utf-16"), None, WORDS),
        (WORDS.encode("utf-16-be"), "utf-16be", WORDS),
        ("你好".encode("gbk"), "GB2312", "你好"),
        ("你好".encode("gb18030"), None, "ÄãºÃ"),  # nobody says what it is
        (b"<meta charset=gbk>" + "你好".encode("gbk"), None, "<meta charset=gbk>你好"),
        ("“日本”".encode("cp932"), '"Shift_JIS"', "“日本”"),
        ("мир".encode("koi8-r"), "koi8-r", "мир"),
        ("Grüße €".encode("cp1252"), "ISO-8859-1", "Grüße €"),
        ("Grüße".encode("cp1252"), None, "Grüße"),
        (b"ok \xff", "utf-8", "ok \ufffd"),
        (b"x", "hex", "x"),  # codecs of Python that are no letters
        (b"x", "unicode_escape", "x"),
        (b"x", "no such thing", "x"),
    ],
)
def test_letters_are_read_as_they_are_meant(body: bytes, charset: str | None, text: str) -> None:
    assert text_of(came(body, charset=charset)) == text


@pytest.mark.parametrize(
    "declared",
    ['<meta charset="windows-1251">',
     '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
     '<?xml version="1.0" encoding="windows-1251"?>'],
)  # fmt: skip
def test_the_page_itself_says_it(declared: str) -> None:
    assert text_of(came((declared + "мир").encode("cp1251"))) == declared + "мир"


def test_a_character_that_was_cut_through_is_no_reason_for_a_guess() -> None:
    cut = Fetched("https://example.com/", "text/plain", None, "Grüße ü".encode()[:-1], is_cut=True)
    assert text_of(cut) == "Grüße "
