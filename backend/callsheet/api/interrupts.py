"""`/v1/interrupts`: what the caller's runs wait for. Answers go with the next request of a chat."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.body import read_page
from callsheet.api.caller import caller_of, path_id
from callsheet.api.documents import Interrupt, InterruptPage
from callsheet.api.interrupt_views import interrupt_page, interrupt_view
from callsheet.api.openapi import answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.kit.errors import NotFound
from callsheet.kit.ids import parse_uuid


class InterruptRoutes:
    """Questions, approvals and pending tools of the client."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1/interrupts", tags=["interrupts"])
        router.add_api_route(
            "", self.list, methods=["GET"], responses=answers(InterruptPage, 404, 422)
        )
        router.add_api_route(
            "/{interrupt_id}", self.get, methods=["GET"], responses=answers(Interrupt, 404)
        )
        return router

    async def list(
        self,
        request: Request,
        limit: str | None = None,
        cursor: str | None = None,
        sessionId: str | None = None,  # noqa: N803 - as callers write it
    ) -> Response:
        """What is open, newest first; of one session with `sessionId`."""
        caller = await caller_of(request, self._services.identities)
        session = None if sessionId is None else path_id(caller, "session", sessionId)
        page = await self._services.interrupts.open(caller, session, read_page(limit, cursor))
        return json_answer(interrupt_page(page, self._show))

    async def get(self, request: Request, interrupt_id: str) -> Response:
        """One interrupt, also after it was answered."""
        caller = await caller_of(request, self._services.identities)
        id_ = parse_uuid(interrupt_id)
        if id_ is None:
            raise NotFound("There is no such interrupt.")
        found = await self._services.interrupts.get(caller, id_)
        return json_answer(interrupt_view(found, self._show))
