"""Fetching from a real server: every hop checked, nothing larger or slower than allowed."""

from __future__ import annotations

import socket
import threading

import pytest
from aiohttp import web

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.tools.web.fetched import Fetched
from callsheet.tools.web.fetcher import Fetcher
from callsheet.tools.web.guard import AllowList, read_allow_list
from callsheet.tools.web.options import FetchOptions
from callsheet.tools.web.resolver import SystemResolver
from tests.fakes.website import NameService, Website, website
from tests.tools.web.fetching import anything, fetch, own

PUBLIC = "93.184.215.14"


async def test_a_page_of_an_own_service_is_got(site: Website) -> None:
    site.page("/a", "<p>hi", "text/html; charset=latin-1")
    found = await own(site, "/a?b=c#d")
    assert found == Fetched(
        f"http://127.0.0.1:{site.port}/a?b=c", "text/html", "latin-1", b"<p>hi", is_cut=False
    )
    [request] = site.requests
    assert request.path_qs == "/a?b=c"
    assert request.headers["User-Agent"] == "test"
    assert request.headers["Host"] == f"127.0.0.1:{site.port}"
    assert {"Cookie", "Authorization"} & set(request.headers) == set()


async def test_without_the_list_the_same_service_is_refused_unasked(site: Website) -> None:
    site.page("/", "secret")
    for host in ("127.0.0.1", "localhost", "own.example"):
        with pytest.raises(ToolFailed):
            await fetch(f"http://{host}:{site.port}/", names={"own.example": ["127.0.0.1"]})
    assert site.requests == []


REDIRECTS = [
    "http://127.0.0.1:{other}/secret",
    "http://127.0.0.1:8080/",
    "http://localhost:8080/",
    "http://[::1]:8080/",
    "http://[::ffff:127.0.0.1]:8080/",
    "http://2130706433:8080/",
    "http://0x7f.1:8080/",
    "http://169.254.169.254/latest/meta-data/",
    "http://inside.example/",
    "http://half.example/",
    "//127.0.0.1:{other}/secret",
    "file:///etc/passwd",
    "ftp://example.com/",
    "http://user:secret@127.0.0.1:{port}/secret",
    "http://nowhere.example/",
    "http://:80/",
]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_the_inside_is_refused_whatever_its_kind(
    site: Website, status: int
) -> None:
    async with website() as other:
        site.redirect("/", f"http://127.0.0.1:{other.port}/secret", status)
        with pytest.raises(ToolFailed, match="not on the public internet"):
            await own(site, "/")
        assert other.requests == []
    assert site.paths == ["/"]


@pytest.mark.parametrize("to", REDIRECTS)
async def test_each_hop_is_judged_anew(site: Website, to: str) -> None:
    names = {"inside.example": ["10.0.0.1"], "half.example": [PUBLIC, "127.0.0.1"]}
    async with website() as other:
        site.redirect("/1", "/2")
        site.redirect("/2", to.format(port=site.port, other=other.port))
        with pytest.raises(ToolFailed):
            await own(site, "/1", names=names)
        assert other.requests == []
    assert site.paths == ["/1", "/2"]


async def test_redirects_are_followed_and_counted(site: Website) -> None:
    for number in range(5):
        site.redirect(f"/{number}", f"/{number + 1}?n={number}")
    site.page("/5", "there", "text/plain")
    found = await own(site, "/0", max_redirects=5)
    assert found.url == f"http://127.0.0.1:{site.port}/5?n=4"
    site.redirect("/again", "/again")
    site.requests.clear()
    with pytest.raises(ToolFailed, match="redirected more than 2 times"):
        await own(site, "/again", max_redirects=2)
    assert len(site.requests) == 3


async def test_cookies_do_not_go_from_hop_to_hop(site: Website) -> None:
    async def sets(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/b", "Set-Cookie": "a=b"})

    site.pages["/a"] = sets
    site.page("/b", "")
    await own(site, "/a")
    assert "Cookie" not in site.requests[-1].headers


async def test_a_name_that_changes_its_address_gains_nothing(site: Website) -> None:
    """Looked up once for each hop, and connected to what was judged then."""
    name = f"own.example:{site.port}"
    site.page("/", "hello", "text/plain")
    names = NameService({"own.example": [["127.0.0.1"], ["169.254.169.254"]]})
    fetcher = Fetcher(names, read_allow_list([name]), FetchOptions())
    found = await fetcher.fetch(f"http://{name}/", {}, Deadline.after(10), anything)
    assert (found.body, names.asked) == (b"hello", ["own.example"])
    assert site.requests[0].headers["Host"] == name

    with pytest.raises(ToolFailed, match="not on the public internet"):
        await fetcher.fetch(f"http://{name}/", {}, Deadline.after(10), anything)
    assert len(site.requests) == 1


async def test_a_name_that_changes_between_two_hops_is_refused(site: Website) -> None:
    name = f"own.example:{site.port}"
    site.redirect("/", "/next")
    names = NameService({"own.example": [["127.0.0.1"], ["127.0.0.1", "169.254.169.254"]]})
    fetcher = Fetcher(names, read_allow_list([name]), FetchOptions())
    with pytest.raises(ToolFailed, match="not on the public internet"):
        await fetcher.fetch(f"http://{name}/", {}, Deadline.after(10), anything)
    assert site.paths == ["/"]


async def test_a_proxy_of_the_environment_is_not_used(
    site: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with website() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        site.page("/", "direct", "text/plain")
        assert (await own(site, "/")).body == b"direct"
        assert proxy.requests == []


async def test_nobody_there_is_told_plainly() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        here = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ToolFailed, match="could not be reached"):
        await fetch(f"http://{here}/", own=[here])


async def test_the_name_that_is_looked_up_must_exist() -> None:
    with pytest.raises(ToolFailed, match=r"No host called nowhere\.example was found"):
        await fetch("http://nowhere.example/")
    with pytest.raises(ToolRetry):
        await fetch("nowhere")


async def test_the_system_knows_this_machine() -> None:
    assert "127.0.0.1" in [str(each) for each in await SystemResolver().addresses("localhost")]
    # When the process ends none of them is waited for, however long its name server is silent.
    assert all(each.daemon for each in threading.enumerate() if each.name.startswith("web-names"))


async def test_an_empty_list_allows_nothing_of_ours(site: Website) -> None:
    fetcher = Fetcher(SystemResolver(), AllowList(), FetchOptions())
    with pytest.raises(ToolFailed):
        await fetcher.fetch(f"http://localhost:{site.port}/", {}, Deadline.after(5), anything)
    assert site.requests == []
