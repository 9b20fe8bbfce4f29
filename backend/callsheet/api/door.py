"""The outermost layer: trace id, who may come in at all, size of bodies, headers, access log.

Pure ASGI: it passes every message on as it comes and buffers nothing.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import Final
from uuid import uuid4

from starlette.datastructures import Headers as RequestHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from callsheet.api import cors
from callsheet.api.errors import app_problem, problem, unexpected_problem
from callsheet.api.guard import Ask, check_local, check_type
from callsheet.api.ports import ApiOptions
from callsheet.kit.errors import AppError, TooLarge, TooSlow
from callsheet.kit.log import get_log, log_context

_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_TRACE_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")
_HEALTH: Final = "/health/"

_log = get_log(__name__)


class Door:
    """Middleware of the whole application."""

    def __init__(self, app: ASGIApp, options: ApiOptions) -> None:
        self._app = app
        self._options = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; everything but HTTP is passed through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = RequestHeaders(scope=scope)
        trace_id = trace_id_of(headers)
        scope["trace_id"] = trace_id
        visit = _Visit(scope, send, trace_id, self._extra_headers(headers.get("origin"), trace_id))
        with log_context(trace_id=trace_id):
            await self._serve(scope, headers, receive, visit)
            visit.log()

    async def _serve(
        self, scope: Scope, headers: RequestHeaders, receive: Receive, visit: _Visit
    ) -> None:
        refusal = self._refusal(scope, headers)
        try:
            if refusal is not None:
                await app_problem(refusal, visit.trace_id, self._options.show)(
                    scope, receive, visit.send
                )
            elif not await self._answered_preflight(scope, headers, receive, visit):
                await self._app(scope, _limited(receive, self._options), visit.send)
        except Exception:  # the border of a request: nobody above can answer it
            _log.exception("request failed", method=scope["method"], path=scope["path"])
            if visit.status is not None:
                raise
            await unexpected_problem(visit.trace_id)(scope, receive, visit.send)

    def _refusal(self, scope: Scope, headers: RequestHeaders) -> AppError | None:
        server = scope.get("server") or ("", None)
        ask = Ask(
            method=scope["method"],
            port=server[1] or 80,
            host=headers.get("host") if len(headers.getlist("host")) == 1 else None,
            origin=headers.get("origin"),
            content_type=headers.get("content-type"),
            content_encoding=headers.get("content-encoding"),
            has_body=headers.get("content-length", "0") != "0" or "transfer-encoding" in headers,
        )
        if self._options.own_hosts and not scope["path"].startswith(_HEALTH):
            refused = check_local(ask, self._options.own_hosts, self._options.allowed_origins)
            if refused is not None:
                return refused
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._options.max_body_bytes:
            return _too_large(self._options.max_body_bytes)
        return check_type(ask)

    async def _answered_preflight(
        self, scope: Scope, headers: RequestHeaders, receive: Receive, visit: _Visit
    ) -> bool:
        origin = headers.get("origin")
        asked = headers.get("access-control-request-method")
        if origin is None or not cors.is_preflight(scope["method"], origin, asked):
            return False
        allowed = cors.preflight_headers(origin, self._options.allowed_origins)
        if allowed is None:
            answer = problem(403, "origin_not_allowed", "This origin may not call.", visit.trace_id)
            await answer(scope, receive, visit.send)
            return True
        visit.extra = [*allowed, (b"x-trace-id", visit.trace_id.encode())]
        await visit.send({"type": "http.response.start", "status": 204, "headers": []})
        await visit.send({"type": "http.response.body", "body": b""})
        return True

    def _extra_headers(self, origin: str | None, trace_id: str) -> cors.Headers:
        return [
            *cors.answer_headers(origin, self._options.allowed_origins),
            (b"x-trace-id", trace_id.encode()),
            (b"x-content-type-options", b"nosniff"),
        ]


class _Visit:
    """One request under way: adds headers to its answer and remembers how it went."""

    def __init__(self, scope: Scope, send: Send, trace_id: str, extra: cors.Headers) -> None:
        self.trace_id = trace_id
        self.extra = extra
        self.status: int | None = None
        self._scope = scope
        self._send = send
        self._began = time.perf_counter()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self.extra]}
        await self._send(message)

    def log(self) -> None:
        path = self._scope["path"]
        write = _log.debug if path.startswith(_HEALTH) else _log.info
        write(
            "request",
            method=self._scope["method"],
            path=path,
            status=self.status,
            took_ms=round((time.perf_counter() - self._began) * 1000, 1),
        )


def trace_id_of(headers: RequestHeaders) -> str:
    """The caller's trace id (W3C `traceparent`, or `X-Trace-Id`), else a new one."""
    parent = _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    if parent is not None:
        return parent[1]
    own = headers.get("x-trace-id", "")
    return own if _TRACE_ID.fullmatch(own) else uuid4().hex


def _limited(receive: Receive, options: ApiOptions) -> Receive:
    """`receive` that raises TooLarge or TooSlow where the body is more than is taken."""
    seen, whole = 0, False
    ends_at = asyncio.get_running_loop().time() + options.body_within_s

    async def counted() -> Message:
        nonlocal seen, whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout_at(ends_at):
                message = await receive()
        except TimeoutError as error:
            raise _too_slow(options.body_within_s) from error
        whole = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > options.max_body_bytes:
            raise _too_large(options.max_body_bytes)
        return message

    return counted


def _too_slow(seconds: float) -> TooSlow:
    return TooSlow(f"The body did not come within {seconds:g} s.", field="")


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit} bytes.", field="", limit=limit)
