"""Getting something from the web, hop by hop, each one checked and pinned to what was checked."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.message import Message
from typing import Final
from urllib.parse import urljoin

import aiohttp
import structlog

from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.tools.web.address import IpAddress
from callsheet.tools.web.fetched import Fetched
from callsheet.tools.web.guard import AllowList, judge_addresses, judge_target
from callsheet.tools.web.options import FetchOptions
from callsheet.tools.web.pinned import PinnedAddresses
from callsheet.tools.web.resolver import Resolver
from callsheet.tools.web.target import Target, read_target
from callsheet.tools.web.unpack import ACCEPTED, Unpacked

_log = structlog.get_logger(__name__)
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})

Takes = Callable[[str, int | None], None]
"""Raises ToolFailed where a body of that media type and length in bytes is not wanted."""


class Fetcher:
    """Only GET, no cookies, no credentials, no proxy; every hop through the guard."""

    def __init__(
        self,
        resolver: Resolver,
        allowed: AllowList,
        options: FetchOptions,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`tls` None: certificates are checked against those that this machine trusts."""
        self._resolver = resolver
        self._allowed = allowed
        self._options = options
        self._tls = tls

    async def fetch(
        self, url: str, headers: Mapping[str, str], deadline: Deadline, takes: Takes
    ) -> Fetched:
        """What stands at `url`, after all redirects.

        Raises:
            ToolRetry: `url` is no address of the web.
            ToolFailed: it may not be fetched, is not there, is not wanted or did not come in time.
        """
        target = read_target(url)
        timeout = deadline.within(self._options.timeout_s).timeout()
        try:
            async with timeout:
                return await self._follow(target, headers, takes)
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise ToolFailed(f"{target.host} did not answer in time.") from error

    async def _follow(self, target: Target, headers: Mapping[str, str], takes: Takes) -> Fetched:
        for _ in range(self._options.max_redirects + 1):
            with _told(target):
                found = await self._hop(target, headers, takes)
            if isinstance(found, Fetched):
                return found
            target = _next(target, found)
        raise ToolFailed(f"It was redirected more than {self._options.max_redirects} times.")

    async def _hop(self, target: Target, headers: Mapping[str, str], takes: Takes) -> Fetched | str:
        """What is there, or where it sends us."""
        addresses = await self._checked(target)
        async with (
            self._session(target, addresses) as session,
            session.get(
                target.url,
                headers={**headers, "Accept-Encoding": ACCEPTED},
                allow_redirects=False,
                ssl=self._tls or True,
            ) as response,
        ):
            where = response.headers.get("Location")
            if response.status in _REDIRECTS and where is not None:
                return where
            if response.status != 200:
                raise ToolFailed(f"{target.host} answered {_status(response)}.")
            return await self._read(target, response, takes)

    async def _checked(self, target: Target) -> Sequence[IpAddress]:
        """The addresses to connect to; all of them have been judged."""
        addresses: Sequence[IpAddress] = () if target.address is None else (target.address,)
        try:
            judge_target(target, self._allowed)
            addresses = addresses or await self._resolver.addresses(target.host)
            judge_addresses(target, addresses, self._allowed)
        except ToolFailed as error:
            _log.warning(
                "fetch_refused",
                host=target.host,
                port=target.port,
                addresses=[str(address) for address in addresses],
                reason=str(error),
            )
            raise
        return addresses

    def _session(self, target: Target, addresses: Sequence[IpAddress]) -> aiohttp.ClientSession:
        """One for each hop: a connection that is kept would outlive its check."""
        options = self._options
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=PinnedAddresses(target.host, addresses),
                use_dns_cache=False,
                force_close=True,
                limit=1,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(
                total=None, sock_connect=options.connect_s, sock_read=options.gap_s
            ),
            trust_env=False,
            auto_decompress=False,
        )

    async def _read(
        self, target: Target, response: aiohttp.ClientResponse, takes: Takes
    ) -> Fetched:
        media_type, charset = _content_type(response.headers.get("Content-Type", ""))
        takes(media_type, response.content_length)
        body = Unpacked(
            response.headers.get("Content-Encoding", ""), max_bytes=self._options.max_bytes
        )
        async for piece in response.content.iter_any():
            body.feed(piece)
            if body.is_cut:
                break
        return Fetched(target.url, media_type, charset, bytes(body.data), body.is_cut)


@contextmanager
def _told(target: Target) -> Iterator[None]:
    """What fails on the way to `target`, as the model is told."""
    try:
        yield
    except aiohttp.ServerTimeoutError as error:
        raise ToolFailed(f"{target.host} did not answer in time.") from error
    except aiohttp.ClientSSLError as error:
        raise ToolFailed(f"{target.host} has no certificate that is trusted.") from error
    except (aiohttp.ClientError, ConnectionError) as error:
        _log.info("fetch_failed", host=target.host, error=type(error).__name__)
        raise ToolFailed(f"{target.host} could not be reached, or broke off.") from error


def _next(target: Target, where: str) -> Target:
    try:
        return read_target(urljoin(target.url, where.strip()))
    except (ToolRetry, ValueError) as error:
        raise ToolFailed(f"{target.host} redirects to where nothing is fetched: {error}") from error


def _content_type(header: str) -> tuple[str, str | None]:
    message = Message()
    message["Content-Type"] = header.encode("ascii", "replace").decode()
    charset = message.get_param("charset")
    media_type = message.get_content_type().lower() if header else ""
    return media_type, charset if isinstance(charset, str) else None


def _status(response: aiohttp.ClientResponse) -> str:
    reason = "".join(ch for ch in (response.reason or "") if ch.isprintable())[:60]
    return f"{response.status} {reason}".strip()
