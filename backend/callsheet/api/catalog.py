"""`/v1/models` and `/v1/workflows`: what a turn can be made of."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.caller import caller_of
from callsheet.api.catalog_documents import Models, Workflows
from callsheet.api.openapi import answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.views import model_view, problem_view, workflow_view


class CatalogRoutes:
    """Models that can be called, workflows that are active."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1", tags=["catalog"])
        router.add_api_route("/models", self.models, methods=["GET"], responses=answers(Models))
        router.add_api_route(
            "/workflows", self.workflows, methods=["GET"], responses=answers(Workflows)
        )
        return router

    async def models(self, request: Request) -> Response:
        """Every model that can be called now; none where the deployment hides them."""
        await caller_of(request, self._services.identities)
        models = self._services.models.all() if self._show.models else {}
        return json_answer(Models(items=[model_view(models[code]) for code in sorted(models)]))

    async def workflows(self, request: Request) -> Response:
        """The active revisions, and why an edit on disk is not active."""
        await caller_of(request, self._services.identities)
        catalog = self._services.workflows
        await catalog.refresh()
        return json_answer(
            Workflows(
                default=catalog.default,
                items=[workflow_view(catalog.get(name), self._show) for name in catalog.names()],
                problems=[problem_view(problem, self._show) for problem in catalog.problems()],
            )
        )
