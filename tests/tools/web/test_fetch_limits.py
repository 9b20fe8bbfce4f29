"""Nothing larger, slower or packed tighter than allowed comes in."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest
from aiohttp import web

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import read_allow_list
from callsheet.tools.web.options import FetchOptions
from tests.fakes.website import NameService, Website
from tests.tools.web.fetching import own


async def test_what_is_too_long_is_cut(site: Website) -> None:
    site.page("/", b"x" * 10_001, "text/plain")
    found = await own(site, "/", max_bytes=10_000)
    assert (len(found.body), found.is_cut) == (10_000, True)
    assert (await own(site, "/", max_bytes=10_001)).is_cut is False


async def test_a_stream_without_end_is_left_at_the_limit(site: Website) -> None:
    left = asyncio.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        try:
            while True:
                await response.write(b"y" * 65_536)
        finally:
            left.set()

    site.pages["/"] = endless
    found = await own(site, "/", max_bytes=200_000)
    assert (len(found.body), found.is_cut) == (200_000, True)
    async with asyncio.timeout(10):
        await left.wait()


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "bare deflate", "identity", ""])
async def test_packed_pages_are_unpacked(site: Website, encoding: str) -> None:
    text = b"hello " * 5_000
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    body = {
        "gzip": gzip.compress(text[:11]) + gzip.compress(text[11:]) + b"\0\0 rest",
        "x-gzip": gzip.compress(text),
        "deflate": zlib.compress(text),
        "bare deflate": bare.compress(text) + bare.flush(),
    }.get(encoding, text)
    said = encoding.removeprefix("bare ")
    site.page("/", body, "text/plain", **({"Content_Encoding": said} if said else {}))
    assert (await own(site, "/")).body == text


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_bomb_is_unpacked_no_further_than_the_limit(site: Website, encoding: str) -> None:
    huge = b"\0" * 100_000_000
    body = gzip.compress(huge, 9) if encoding == "gzip" else zlib.compress(huge, 9)
    site.page("/", body, "text/plain", Content_Encoding=encoding)
    found = await own(site, "/", max_bytes=50_000)
    assert (len(found.body), found.is_cut) == (50_000, True)


async def test_packed_nothing_without_end_is_left_too(site: Website) -> None:
    nothing = gzip.compress(b"") * 1_000

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"}
        )
        await response.prepare(request)
        while True:
            await response.write(nothing)

    site.pages["/"] = endless
    assert (await own(site, "/", max_bytes=100_000)).is_cut is True


@pytest.mark.parametrize(
    ("encoding", "body", "reason"),
    [
        ("br", b"\x0b\x02\x80", "packed as 'br'"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"a")), "packed as 'gzip, gzip'"),
        ("gzip", b"plain", "not packed as it says"),
    ],
    ids=["another way", "twice", "not at all"],
)
async def test_what_cannot_be_unpacked_is_said(
    site: Website, encoding: str, body: bytes, reason: str
) -> None:
    site.page("/", body, "text/plain", Content_Encoding=encoding)
    with pytest.raises(ToolFailed, match=reason):
        await own(site, "/")


async def test_a_type_that_is_not_wanted_is_refused_before_its_body(site: Website) -> None:
    seen: list[tuple[str, int | None]] = []

    def refuse(media_type: str, length: int | None) -> None:
        seen.append((media_type, length))
        raise ToolFailed("not that")

    site.page("/", b"x" * 5_000_000, "Application/PDF; x=y")
    here = f"127.0.0.1:{site.port}"
    fetcher = Fetcher(NameService({}), read_allow_list([here]), FetchOptions())
    with pytest.raises(ToolFailed, match="not that"):
        await fetcher.fetch(f"http://{here}/", {}, Deadline.after(10), refuse)
    assert seen == [("application/pdf", 5_000_000)]


@pytest.mark.parametrize(("status", "said"), [(404, "404 Not Found"), (500, "500"), (204, "204")])
async def test_another_status_is_told(site: Website, status: int, said: str) -> None:
    site.pages["/"] = web.Response(status=status)
    with pytest.raises(ToolFailed, match=f"answered {said}"):
        await own(site, "/")


async def test_a_server_that_says_nothing_is_left_in_time(site: Website) -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        return web.Response()

    site.pages["/"] = silent
    for limits in ({"timeout_s": 0.2}, {"gap_s": 0.2}, {"seconds": 0.2}):
        with pytest.raises(ToolFailed, match="did not answer in time"):
            await own(site, "/", **limits)


async def test_slow_drops_do_not_stretch_the_time(site: Website) -> None:
    async def drips(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        while True:
            await response.write(b".")
            await asyncio.sleep(0.05)

    site.pages["/"] = drips
    with pytest.raises(ToolFailed, match="did not answer in time"):
        await own(site, "/", timeout_s=0.5)
