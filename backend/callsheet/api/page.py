"""The plain page at `/`: one conversation, over the public protocol only."""

from __future__ import annotations

from importlib import resources
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from callsheet.kit.errors import NotFound

_STATIC: Final = resources.files("callsheet.api") / "static"
_PAGE: Final = "page.html"
_KINDS: Final = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "live.js": "text/javascript",
    "asking.js": "text/javascript",
    "server.js": "text/javascript",
    "turn.js": "text/javascript",
    "cost.js": "text/javascript",
    "spending.js": "text/javascript",
    "session.js": "text/javascript",
    "shown.js": "text/javascript",
}
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
    """The page, its style and its scripts, read once; nothing comes from another place."""

    def __init__(self) -> None:
        self._files = {name: (_STATIC / name).read_bytes() for name in (_PAGE, *_KINDS)}

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(include_in_schema=False)
        router.add_api_route("/", self.page, methods=["GET", "HEAD"])
        router.add_api_route("/static/{name}", self.file, methods=["GET", "HEAD"])
        return router

    async def page(self) -> Response:
        """The page."""
        return Response(self._files[_PAGE], media_type="text/html; charset=utf-8", headers=_HEADERS)

    async def file(self, name: str) -> Response:
        """One of the files that the page needs, and no other."""
        kind = _KINDS.get(name)
        if kind is None:
            raise NotFound("There is no such file.")
        return Response(self._files[name], media_type=f"{kind}; charset=utf-8", headers=_HEADERS)
