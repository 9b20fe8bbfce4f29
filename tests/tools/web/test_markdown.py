"""What a model gets to read of a page."""

from __future__ import annotations

import time

import pytest

from callsheet.tools.web.markdown import read_html
from callsheet.tools.web.page import Page

HERE = "https://example.com/docs/page.html"

PAGE = """<!doctype html><html lang="en"><head><title> A  page
 about things </title><meta property="article:published_time" content="2026-03-04T05:06:07Z">
<style>p{}</style><script>alert(1)</script></head><body>
<header><img src="logo.png"><nav><a href="/">Home</a></nav></header>
<main><h1>Things</h1>
<p>Some <b>bold</b>, <em>leaning</em> and <code>a_b*c</code> words, a <a
href="../other?x=1#y">link</a>,
<a href="#top">up</a>, <a href="javascript:alert(1)">bad</a>, <a
href="mailto:a@example.com">mail</a>
and <a href="//cdn.example.org/z">other host</a>.<img alt="A  diagram"
src="x.png"><img src="y.png"></p>
<ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul>
<table><tr><th>Name</th><th>Size</th></tr><tr><td>a</td><td>1</td></tr></table>
<pre><code>for x in y:
    print(x)
</code></pre>
<div hidden>unseen</div><p aria-hidden="true">unheard</p><button>Press</button>
<form><label>Ask</label><input value="q"></form>
</main><aside>Related</aside><footer>Imprint</footer><noscript>Turn it on</noscript></body>
</html>"""


def test_a_page_becomes_what_a_reader_reads() -> None:
    page = read_html(PAGE, HERE)
    assert (page.title, page.published) == ("A page about things", "2026-03-04T05:06:07Z")
    assert page.text == (
        "# Things\n\n"
        "Some **bold**, *leaning* and `a_b*c` words, a [link](https://example.com/other?x=1#y),\n"
        "up, bad, [mail](mailto:a@example.com)\n"
        "and [other host](https://cdn.example.org/z).A diagram\n\n"
        "- one\n- two\n  - deep\n\n"
        "| Name | Size |\n| --- | --- |\n| a | 1 |\n\n"
        "```\nfor x in y:\n    print(x)\n```\n\n"
        "Ask"
    )


def test_without_a_marked_content_the_page_is_read_without_its_surroundings() -> None:
    html = (
        "<title></title><body><header>Brand</header><nav>Menu</nav><h1>Head</h1><p>Text.</p>"
        "<footer>Imprint</footer><aside>More</aside></body>"
    )
    assert read_html(html, HERE) == Page("Head", "# Head\n\nText.")


def test_a_small_part_that_is_marked_is_not_the_content() -> None:
    html = "<body><article>Ad</article>" + "<p>Many words here.</p>" * 20 + "</body>"
    assert "Many words here." in read_html(html, HERE).text


def test_links_go_by_the_base_that_the_page_names() -> None:
    html = "<head><base href='/base/'></head><p><a href='x'>a</a> <a href='http://['>b</a></p>"
    assert read_html(html, HERE).text == "[a](https://example.com/base/x) b"


@pytest.mark.parametrize(
    "html", ["", "   ", "<", "<html>", "plain", "<p>x<p", "\0", "http://a.example/", "<?xml?><p>x"]
)
def test_anything_can_be_read(html: str) -> None:
    assert isinstance(read_html(html, HERE), Page)


HOSTILE = {
    "deep": "<div>" * 200_000,
    "deep words": "<b>x" * 200_000,
    "lists": "<ul><li>" * 100_000,
    "quotes": "<blockquote>x" * 100_000,
    "tables": "<table><tr><td>" * 60_000,
    "links": "<a href=/>x" * 150_000,
    "cells": "<table>" + "<tr><td>x" * 100_000,
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(150_000)) + ">x",
    "brackets": "<" * 1_500_000,
    "comments": "<!--" * 300_000,
    "entities": "&lt;" * 300_000,
    "spaces": "<p>" + " \n" * 700_000 + "x",
    "lines": "<pre>" + "\n " * 700_000 + "x",
    "signs": "<p>" + "*_" * 700_000,
    "quoted lines": "<blockquote>" * 240 + "<pre>" + "a\n" * 900_000,
    "indented lines": "<ul><li>" * 120 + "<pre>" + "a\n" * 900_000,
    "terms": "<dl><dd>" * 120 + "<pre>" + "a\n" * 900_000,
    "numbers": "<ol>" + "<li>x" * 39_000,
    "spans": "<table><tr>" + "<td colspan=1000>x" * 39_000,
    "base": f"<base href='http://a/{'b' * 1_500_000}/'>" + "<a href=x>y</a>" * 19_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_keeps_a_thread_for_long_or_becomes_much_more_than_it_was(name: str) -> None:
    """A generous bound on processor time, an order of magnitude below what harm would take."""
    began = time.thread_time()
    page = read_html(HOSTILE[name], HERE)
    assert time.thread_time() - began < 20
    assert len(page.text) < 10_000_000


def test_a_page_that_would_grow_without_end_is_read_as_its_text_alone() -> None:
    page = read_html("<blockquote>" * 240 + "<p>said" * 15_000, HERE)
    assert page.text.startswith("said\nsaid\n")


@pytest.mark.parametrize("number", ["²", "9" * 5000, "1" + "0" * 3000, "-1", ""])
def test_numbers_that_are_none_are_not_heeded(number: str) -> None:
    page = read_html(
        f"<ol start='{number}'><li>one</li></ol><table><tr><td colspan='{number}'>two</table>", HERE
    )
    assert "1. one" in page.text
    assert "| two |" in page.text


def test_a_page_with_more_tags_than_are_read_says_that_there_is_more() -> None:
    page = read_html("<p>x</p>" * 30_000, HERE)
    assert page.is_cut
    assert page.text.startswith("x\n\nx")
