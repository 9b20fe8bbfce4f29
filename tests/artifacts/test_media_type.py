"""What a file is stands in it, not in its name."""

from __future__ import annotations

import io
import zipfile

import pytest

from callsheet.artifacts.media_type import PICTURES, media_type_of

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff"
WEBP = b"RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00\xff"


def a_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "a")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("plot.png", PNG, "image/png"),
        ("photo.txt", JPEG, "image/jpeg"),
        ("a", GIF, "image/gif"),
        ("a.png", WEBP, "image/webp"),
        ("report.png", b"%PDF-1.7\n1 0 obj\n", "application/pdf"),
        ("data.csv", b"a,b\n1,2\n", "text/csv"),
        ("DATA.TSV", b"a\tb\n", "text/tab-separated-values"),
        ("x.json", b'{"a": 1}', "application/json"),
        ("notes.md", "# 世界\n".encode(), "text/markdown"),
        ("notes", b"hello", "text/plain"),
        ("empty.csv", b"", "text/csv"),
        ("picture.png", b"<!DOCTYPE html><script>alert(1)</script>", "text/html"),
        ("picture.png", b"\n <script>alert(1)</script>", "text/html"),
        ("page.txt", b"<HTML><body onload=alert(1)>", "text/html"),
        ("picture.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        ("a.png", b"<?xml version='1.0'?><!-- --><svg onload='x'/>", "image/svg+xml"),
        ("a.png", b"<?xml version='1.0'?><a/>", "application/xml"),
        ("picture.png", b"not a picture", "text/plain"),
        ("picture.png", b"\x00\x01\x02\x03", "application/octet-stream"),
    ],
)
def test_the_bytes_decide(name: str, data: bytes, kind: str) -> None:
    assert media_type_of(name, data) == kind


def test_a_zip_is_a_zip() -> None:
    assert media_type_of("a.csv", a_zip()).startswith("application/")


@pytest.mark.parametrize(
    ("claimed", "kind"),
    [
        ("application/vnd.apache.parquet", "application/vnd.apache.parquet"),
        ("image/png", "application/octet-stream"),
        ("text/html", "application/octet-stream"),
        ("image/svg+xml", "application/octet-stream"),
        ("application/javascript", "application/octet-stream"),
        ("x/y\r\nSet-Cookie: a=b", "application/octet-stream"),
        ("nonsense", "application/octet-stream"),
    ],
)
def test_a_claim_counts_where_nothing_else_tells(claimed: str, kind: str) -> None:
    assert media_type_of("a.bin", b"\x00\x01\x02\x03", claimed) == kind
    assert media_type_of("a.png", PNG, claimed) == "image/png"


def test_nothing_that_runs_is_a_picture() -> None:
    assert {"image/svg+xml", "text/html"}.isdisjoint(PICTURES)
