"""Errors as `application/problem+json`, with a stable `code` and without internals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from callsheet.agui.show import ShowOptions
from callsheet.kit.errors import AppError
from callsheet.kit.json import encode

PROBLEM_TYPE = "application/problem+json"
_HARMLESS = frozenset({"retry_after_s"})
_CODES = {404: "not_found", 405: "method_not_allowed", 415: "type_not_allowed", 413: "too_large"}


def problem(
    status: int, code: str, detail: str, trace_id: str, extra: dict[str, Any] | None = None
) -> Response:
    """One problem document; `extra` stands beside the standard members, in camelCase."""
    members = {_camel(name): value for name, value in (extra or {}).items()}
    body = {
        **members,
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "traceId": trace_id,
    }
    return Response(
        encode(body), status_code=status, media_type=PROBLEM_TYPE, headers=_headers(status, extra)
    )


def app_problem(error: AppError, trace_id: str, show: ShowOptions) -> Response:
    """The problem document of an expected error."""
    code, extra = error.error_code, dict(error.extra)
    if show.hides(code):
        extra = {name: value for name, value in extra.items() if name in _HARMLESS}
    return problem(error.status, code, show.told(code, str(error)), trace_id, extra)


def unexpected_problem(trace_id: str) -> Response:
    """The document of a fault of ours; what it was stands in the log under the trace id."""
    return problem(500, "internal", "Something went wrong here; the log has it.", trace_id)


def install_error_answers(app: FastAPI, routes: Sequence[BaseRoute], show: ShowOptions) -> None:
    """Answer expected errors, unknown paths and wrong methods of `routes` in the one form."""

    async def on_app_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, AppError):
            raise error
        return app_problem(error, request.scope["trace_id"], show)

    async def on_http_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        code = _CODES.get(error.status_code, "http_error")
        answer = problem(error.status_code, code, error.detail, request.scope["trace_id"])
        answer.headers.update(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            answer.headers["Allow"] = ", ".join(_methods(routes, request.scope))
        return answer

    app.add_exception_handler(AppError, on_app_error)
    app.add_exception_handler(HTTPException, on_http_error)


def _methods(routes: Sequence[BaseRoute], scope: Scope) -> list[str]:
    """All methods of a path: the framework names those of the first route that has it alone."""
    found = [route for route in routes if route.matches(scope)[0] != Match.NONE]
    return sorted({method for route in found for method in getattr(route, "methods", None) or ()})


def _headers(status: int, extra: dict[str, Any] | None) -> dict[str, str]:
    headers = {"Cache-Control": "no-store"}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    after_s = (extra or {}).get("retry_after_s")
    if isinstance(after_s, int | float):
        headers["Retry-After"] = str(max(1, math.ceil(after_s)))
    return headers


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
