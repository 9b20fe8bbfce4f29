"""`/v1/artifacts`: files that tools made, for the user whose session they belong to."""

from __future__ import annotations

from typing import Any, Final, cast

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from callsheet.api.answer import json_answer
from callsheet.api.artifact_documents import ArtifactPage, artifact_page
from callsheet.api.body import read_page
from callsheet.api.caller import caller_of, path_id
from callsheet.api.file_answer import FileToSend, file_answer
from callsheet.api.openapi import Answers, answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.artifacts.media_type import PICTURES
from callsheet.kit.errors import NotFound
from callsheet.kit.ids import parse_uuid

_BYTES: Final = {"*/*": {"schema": cast(Any, {"type": "string", "format": "binary"})}}


class ArtifactRoutes:
    """Lists of artifacts, and their bytes."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        del options
        self._services = services

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1", tags=["artifacts"])
        router.add_api_route(
            "/sessions/{session_id}/artifacts",
            self.of_session,
            methods=["GET"],
            responses=answers(ArtifactPage, 404),
        )
        router.add_api_route(
            "/artifacts/{artifact_id}",
            self.get,
            methods=["GET"],
            responses=_file_answers(),
            response_class=StreamingResponse,
        )
        return router

    async def of_session(
        self,
        request: Request,
        session_id: str,
        limit: str | None = None,
        cursor: str | None = None,
    ) -> Response:
        """The files that tools made in the session, newest first."""
        caller = await caller_of(request, self._services.identities)
        page = await self._services.artifacts.of_session(
            caller, path_id(caller, "session", session_id), read_page(limit, cursor)
        )
        return json_answer(artifact_page(page))

    async def get(self, request: Request, artifact_id: str) -> Response:
        """The bytes of one; everything but plain pictures is to be saved, never shown as a page."""
        caller = await caller_of(request, self._services.identities)
        id_ = parse_uuid(artifact_id)
        if id_ is None:
            raise NotFound("There is no such artifact.")
        found, path = await self._services.artifacts.find(caller, id_)
        file = FileToSend(path, found.name, found.media_type, found.size_bytes, found.sha256)
        return file_answer(request, file, inline=found.media_type in PICTURES)


def _file_answers() -> Answers:
    """A file has no document."""
    found = answers(None, 404, means="The whole file.")
    found[200]["content"] = _BYTES
    found[206] = {"description": "The part of it that `Range` asks for.", "content": _BYTES}
    found[304] = {"description": "The caller has it: `If-None-Match` names its `ETag`."}
    return found
