"""The plain page at `/`: one conversation, over the public protocol only."""

from __future__ import annotations

from importlib import resources
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

_STATIC: Final = resources.files("callsheet.api") / "static"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-cache",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


class PageRoutes:
    """The page, its style and its script; nothing comes from another place."""

    def __init__(self) -> None:
        self._html = (_STATIC / "page.html").read_bytes()
        self._css = (_STATIC / "page.css").read_bytes()
        self._js = (_STATIC / "page.js").read_bytes()

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(include_in_schema=False)
        router.add_api_route("/", self.page, methods=["GET"])
        router.add_api_route("/page.css", self.style, methods=["GET"])
        router.add_api_route("/page.js", self.script, methods=["GET"])
        return router

    async def page(self) -> Response:
        """The page."""
        return Response(self._html, media_type="text/html; charset=utf-8", headers=_HEADERS)

    async def style(self) -> Response:
        """Its style."""
        return Response(self._css, media_type="text/css; charset=utf-8", headers=_HEADERS)

    async def script(self) -> Response:
        """Its script."""
        return Response(self._js, media_type="text/javascript; charset=utf-8", headers=_HEADERS)
