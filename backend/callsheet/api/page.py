"""The plain page at `/`: one conversation, over the public protocol only."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib import resources
from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

_STATIC: Final = resources.files("callsheet.api") / "static"


class PageRoutes:
    """The page, its style and its script in one file, and a policy that allows only these."""

    def __init__(self) -> None:
        html = (_STATIC / "page.html").read_text(encoding="utf-8")
        self._html = html.encode()
        self._policy = page_policy(html)

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter(include_in_schema=False)
        router.add_api_route("/", self.page, methods=["GET"])
        return router

    async def page(self) -> Response:
        """The page."""
        return Response(
            self._html,
            media_type="text/html; charset=utf-8",
            headers={
                "Content-Security-Policy": self._policy,
                "Cache-Control": "no-cache",
                "Referrer-Policy": "no-referrer",
                "X-Frame-Options": "DENY",
            },
        )


def page_policy(html: str) -> str:
    """A content security policy under which exactly this page's style and script run."""
    script = _hash_of(html, "<script>", "</script>")
    style = _hash_of(html, "<style>", "</style>")
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _hash_of(html: str, start: str, end: str) -> str:
    inner = html.split(start, 1)[1].split(end, 1)[0]
    return "sha256-" + b64encode(sha256(inner.encode()).digest()).decode()
