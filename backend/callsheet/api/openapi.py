"""What `/openapi.json` says: every document and every status by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from fastapi import FastAPI
from fastapi.routing import APIRoute

from callsheet.api.artifact_documents import ArtifactPage
from callsheet.api.catalog_documents import Live, Models, Ready, Workflows
from callsheet.api.documents import (
    Answer,
    Interrupt,
    InterruptPage,
    MessagePage,
    ProblemDocument,
    Run,
    RunPage,
    Session,
    SessionPage,
    Stopped,
)
from callsheet.api.fields import Continuation, NewSession, SessionEdit
from callsheet.api.price_documents import ModelPrices, PricePage
from callsheet.api.price_fields import NewPrice
from callsheet.api.quota_documents import OwnLimits, Quota
from callsheet.api.todo_documents import TodoList
from callsheet.api.tool_documents import SessionTools, Tools
from callsheet.api.usage_documents import Billing, UsageCallPage, UsageReport, UsageToday

Answers = dict[int | str, dict[str, Any]]

_REF: Final = "#/components/schemas/{name}"
_DOCUMENTS: Final = (
    Answer, ArtifactPage, Billing, Continuation, Interrupt, InterruptPage, Live, MessagePage,
    ModelPrices, Models, NewPrice, NewSession, OwnLimits, PricePage, ProblemDocument, Quota, Ready,
    Run, RunPage, Session, SessionEdit, SessionPage, SessionTools, Stopped, TodoList, Tools,
    UsageCallPage, UsageReport, UsageToday, Workflows,
)  # fmt: skip
_ERRORS: Final[Mapping[int, str]] = {
    401: "No valid key or token.",
    402: "No money or tokens left.",
    403: "Not with the scopes of this key or token.",
    404: "Not there, or another user's.",
    408: "The body did not come in time.",
    409: "The present state forbids it.",
    410: "No longer kept.",
    413: "The body or the message is too large.",
    415: "The body is not application/json.",
    422: "The request is wrong; `field` says where.",
    429: "Too many requests; `Retry-After` says when to come back.",
    503: "Something we depend on is away; the detail says which.",
}
_SCHEME: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key, or a token (JWT) of the deployment's identity provider.",
}
BODY_ERRORS: Final = (408, 413, 415)
"""What an operation with a body can say on top."""


def answers(
    document: type[msgspec.Struct] | None, *errors: int, status: int = 200, means: str = "Done."
) -> Answers:
    """The answers of an operation: its document, what any operation can say, and `errors`."""
    good: dict[str, Any] = {"description": means}
    if document is not None:
        good["content"] = {"application/json": {"schema": reference(document)}}
    return {status: good, **{code: _problem(code) for code in sorted({401, 422, 503, *errors})}}


def body(document: type[msgspec.Struct]) -> dict[str, Any]:
    """The `openapi_extra` of an operation that takes a document."""
    content = {"application/json": {"schema": reference(document)}}
    return {"requestBody": {"required": True, "content": content}}


def reference(document: type[msgspec.Struct]) -> dict[str, str]:
    """The schema of the document, by its name."""
    return {"$ref": _REF.format(name=document.__name__)}


def operation_id(route: APIRoute) -> str:
    """Short and stable, because clients that are made from the document are called by it."""
    return f"{route.tags[0]}_{route.name}".replace("-", "_") if route.tags else route.name


def install_openapi(app: FastAPI) -> None:
    """Put our documents into what FastAPI says of the routes."""
    of_routes = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _, schemas = msgspec.json.schema_components(_DOCUMENTS, ref_template=_REF)
            document = of_routes()
            document["components"] = {
                "schemas": schemas,
                "securitySchemes": {"key": _SCHEME},
            }
            # The second form is the keyless local server.
            document["security"] = [{"key": []}, {}]
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]  # the way FastAPI documents


def problem_content() -> dict[str, Any]:
    """The content of an error."""
    return {"application/problem+json": {"schema": reference(ProblemDocument)}}


def _problem(status: int) -> dict[str, Any]:
    return {"description": _ERRORS[status], "content": problem_content()}
