"""What a fetched body is, and the text that it holds."""

from __future__ import annotations

import codecs
import re
from typing import Final, Literal

from callsheet.kit.errors import ToolFailed
from callsheet.tools.web.fetched import Fetched

Kind = Literal["html", "text"]

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = frozenset(
    {
        "application/json",
        "application/ld+json",
        "application/x-ndjson",
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/javascript",
        "application/rtf",
    }
)
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# As browsers read these names: the larger set that the smaller one is nearly always meant as.
_CHARSETS: Final = {
    "utf-8": "utf-8", "utf8": "utf-8", "ascii": "cp1252", "us-ascii": "cp1252",
    "iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "windows-1252": "cp1252",
    "cp1252": "cp1252", "iso-8859-2": "iso8859-2", "windows-1250": "cp1250",
    "iso-8859-5": "iso8859-5", "windows-1251": "cp1251", "koi8-r": "koi8-r", "koi8-u": "koi8-u",
    "iso-8859-7": "iso8859-7", "windows-1253": "cp1253", "iso-8859-9": "cp1254",
    "windows-1254": "cp1254", "iso-8859-8": "iso8859-8", "windows-1255": "cp1255",
    "iso-8859-6": "iso8859-6", "windows-1256": "cp1256", "iso-8859-15": "iso8859-15",
    "windows-1257": "cp1257", "windows-1258": "cp1258", "windows-874": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030",
    "x-gbk": "gb18030", "big5": "big5hkscs", "big5-hkscs": "big5hkscs", "shift_jis": "cp932",
    "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp", "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949", "utf-16": "utf-16-le", "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}  # fmt: skip
_SAID_INSIDE: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})"
    rb"|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})",
    re.IGNORECASE,
)
_LOOKED_AT_BYTES: Final = 4096


def must_be_text(media_type: str, length: int | None) -> None:
    """Let types through that can be read as text, and bodies whose type is not said.

    Raises:
        ToolFailed: it is another one; the message names type and size.
    """
    if not media_type or _is_text(media_type):
        return
    size = "of unknown size" if length is None else f"of {length:,} bytes"
    raise ToolFailed(
        f"There is no page but {media_type[:80]} {size}; only HTML, plain text, JSON, XML and "
        "the like are read."
    )


def kind_of(found: Fetched) -> Kind:
    """How it is to be read.

    Raises:
        ToolFailed: it is not text at all, whatever it says.
    """
    head = found.body[:_LOOKED_AT_BYTES]
    wide = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    says_wide = _codec(found.charset) in {"utf-16-le", "utf-16-be"}
    if b"\0" in head and not head.startswith(wide) and not says_wide:
        size = len(found.body)
        raise ToolFailed(f"There is no page but binary data ({size:,} bytes or more).")
    if found.media_type in _HTML:
        return "html"
    begins = head.lstrip()[:15].lower()
    looks = not found.media_type and begins.startswith((b"<!doctype html", b"<html"))
    return "html" if looks else "text"


def text_of(found: Fetched) -> str:
    """The body as text: by its own mark, what the server says, what it says itself, or a guess.

    What cannot be read in the end is shown as U+FFFD.
    """
    body = found.body
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    inside = _SAID_INSIDE.search(body[:_LOOKED_AT_BYTES])
    named = next((each for each in inside.groups() if each), b"") if inside else b""
    said = _codec(found.charset) or _codec(named.decode("ascii"))
    if said is not None:
        return body.decode(said, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(body, final=not found.is_cut)
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _codec(charset: str | None) -> str | None:
    return None if charset is None else _CHARSETS.get(charset.strip().strip("\"'").lower())


def _is_text(media_type: str) -> bool:
    ending = media_type.endswith(("+json", "+xml", "+yaml"))
    return media_type.startswith("text/") or media_type in _TEXTS or ending
