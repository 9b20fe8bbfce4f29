"""HTML to Markdown: what a reader would read, without what surrounds it. Takes processor time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from callsheet.tools.web.converter import to_markdown
from callsheet.tools.web.page import Page

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_MOST_TAGS: Final = 40_000
"""Each costs about 50 us; a page of the size of a long encyclopedia article has 20,000."""

_NOISE: Final = (
    "script, style, noscript, template, svg, math annotation, iframe, object, embed, canvas, "
    "video, audio, map, dialog, input, select, textarea, button, nav, [hidden], "
    "[aria-hidden=true], "
    "[role=navigation], [role=search], [role=dialog], [role=alert], [role=banner], "
    "[role=contentinfo]"
)
_AROUND: Final = "body > header, body > footer, body > aside, footer, aside"
_CONTENT: Final = ("main", "[role=main]", "article")
_LEAST_SHARE: Final = 0.25
"""What is marked as the content holds at least this part of the page's words, or it is not it."""

_PUBLISHED: Final = (
    "meta[property='article:published_time']",
    "meta[itemprop=datePublished]",
    "meta[name=date]",
    "meta[name='dc.date']",
)
_PROLOG: Final = re.compile(r"<\?xml[^>]{0,200}>")
"""Says what is done already, the reading of letters, and is no part of HTML."""

_EMPTY_LINES: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_LONGEST_BASE: Final = 2048  # it stands before every link of the page
_LINKED: Final = ("http://", "https://", "mailto:")


def read_html(html: str, url: str) -> Page:
    """The page that `html`, fetched from `url`, shows. Links are absolute; scripts do not run."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - heavy, and only where a page is fetched

    html, is_cut = _within(_PROLOG.sub("", html, count=1))
    soup = BeautifulSoup(f"{html}\n", "lxml")  # one line alone could be a file's name to it
    title, published = _title(soup), _published(soup)
    base = soup.find("base", href=True)
    if base is not None and len(str(base["href"])) <= _LONGEST_BASE:
        url = _joined(url, str(base["href"]))
    for tag in soup.select(_NOISE):
        tag.decompose()
    content = _content(soup)
    _mend(content, url)
    return Page(title, _tidy(to_markdown(content)), published, is_cut)


def _within(html: str) -> tuple[str, bool]:
    """So much of it as may be read: the time that reading takes goes by the number of tags."""
    if html.count("<") <= _MOST_TAGS:
        return html, False
    end = -1
    for _ in range(_MOST_TAGS):
        end = html.index("<", end + 1)
    return html[:end], True


def _title(soup: BeautifulSoup) -> str:
    named = soup.select_one("meta[property='og:title']")
    said = soup.title.get_text() if soup.title is not None else ""
    said = said or (str(named.get("content", "")) if named is not None else "")
    first = soup.find("h1")
    return " ".join((said or (first.get_text() if first is not None else "")).split())[:300]


def _published(soup: BeautifulSoup) -> str | None:
    for where in _PUBLISHED:
        found = soup.select_one(where)
        said = str(found.get("content", "")).strip() if found is not None else ""
        if said:
            return said[:40]
    return None


def _content(soup: BeautifulSoup) -> Tag:
    """The part that is marked as the content, where it is one and most of what there is."""
    whole = soup.body or soup
    words = len(whole.get_text())
    for where in _CONTENT:
        found = soup.select(where)
        if len(found) == 1 and len(found[0].get_text()) >= _LEAST_SHARE * words:
            return found[0]
    for tag in soup.select(_AROUND):
        tag.decompose()
    return whole


def _mend(content: Tag, url: str) -> None:
    """Links lead somewhere from anywhere, images are what they say they show, numbers are some."""
    for link in content.find_all("a"):
        to = str(link.get("href") or "").strip()
        whole = "" if not to or to.startswith("#") else _joined(url, to)
        if whole.lower().startswith(_LINKED) and link.get_text(strip=True):
            link["href"] = whole
        else:
            link.unwrap()
    for image in content.find_all("img"):
        image.replace_with(" ".join(str(image.get("alt") or "").split()))
    for tag in content.select("[start], [colspan]"):
        for name in ("start", "colspan"):
            if not _NUMBER.fullmatch(str(tag.get(name, "1"))):
                del tag[name]


def _joined(base: str, to: str) -> str:
    try:
        return urljoin(base, to)
    except ValueError:
        return ""


def _tidy(text: str) -> str:
    lines = (line.rstrip() for line in text.replace("\xa0", " ").split("\n"))
    return _EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip()
