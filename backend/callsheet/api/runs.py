"""`/v1/runs`: look at a run, stop it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.caller import caller_of, path_id
from callsheet.api.documents import Run
from callsheet.api.openapi import answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.views import run_view


class RunRoutes:
    """Runs by their id."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1/runs", tags=["runs"])
        router.add_api_route("/{run_id}", self.get, methods=["GET"], responses=answers(Run, 404))
        router.add_api_route(
            "/{run_id}/cancel", self.cancel, methods=["POST"], responses=answers(Run, 404, 409)
        )
        return router

    async def get(self, request: Request, run_id: str) -> Response:
        """The run: status, error, usage and cost."""
        caller = await caller_of(request, self._services.identities)
        run = await self._services.runs.get(caller, path_id(caller, "run", run_id))
        return json_answer(run_view(run, self._show))

    async def cancel(self, request: Request, run_id: str) -> Response:
        """Stop the run and answer once it has stopped; safe to repeat."""
        caller = await caller_of(request, self._services.identities)
        run = await self._services.runs.cancel(caller, path_id(caller, "run", run_id))
        return json_answer(run_view(run, self._show))
