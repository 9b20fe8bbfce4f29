"""`/v1/tools` and the tools of a session."""

from __future__ import annotations

import re
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.caller import caller_of, path_id
from callsheet.api.openapi import answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.query import check_parameters, read_name
from callsheet.api.tool_documents import SessionTools, Tools
from callsheet.api.tool_views import tool_view
from callsheet.kit.errors import BadInput

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


class ToolRoutes:
    """Which tools there are, and which ones a session's agents may use."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._language = options.language

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1", tags=["tools"])
        router.add_api_route("/tools", self.list, methods=["GET"], responses=answers(Tools))
        router.add_api_route(
            "/sessions/{session_id}/tools",
            self.of_session,
            methods=["GET"],
            responses=answers(SessionTools, 404),
        )
        return router

    async def list(self, request: Request, language: str | None = None) -> Response:
        """Every tool that there is; labels in `language`, else in the deployment's."""
        await caller_of(request, self._services.identities)
        check_parameters(request, {"language"})
        chosen = self._read(language)
        items = [tool_view(tool, chosen) for tool in await self._services.tools.all()]
        return json_answer(Tools(items=items))

    async def of_session(
        self,
        request: Request,
        session_id: str,
        workflow: str | None = None,
        language: str | None = None,
    ) -> Response:
        """What agents may use that answer the session's next message.

        `workflow`: the one that the message will name; else that of the session's last run.
        """
        caller = await caller_of(request, self._services.identities)
        check_parameters(request, {"workflow", "language"})
        named, chosen = read_name("workflow", workflow), self._read(language)
        id_ = path_id(caller, "session", session_id)
        name, tools = await self._services.tools.of_session(caller, id_, named)
        items = [tool_view(tool, chosen) for tool in tools]
        return json_answer(SessionTools(workflow=name, items=items))

    def _read(self, language: str | None) -> str:
        if language is None:
            return self._language
        if not _LANGUAGE.fullmatch(language):
            raise BadInput("language is a tag such as en or zh.", field="language")
        return language
