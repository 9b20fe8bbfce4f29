"""`/health`: is the process alive, can it serve turns."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.catalog_documents import Live, PartDocument, Ready
from callsheet.api.openapi import Answers, problem_content, reference
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.usage_documents import Billing, ModelPrice


class HealthRoutes:
    """For whoever watches the process; asks for no key and tells nothing about users."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/health", tags=["health"])
        live: Answers = {200: _content(Live)}
        ready: Answers = {200: _content(Ready), 503: {"description": "Not yet.", **_content(Ready)}}
        router.add_api_route("/live", self.live, methods=["GET"], responses=live)
        router.add_api_route("/ready", self.ready, methods=["GET"], responses=ready)
        billing: Answers = {
            200: _content(Billing),
            503: {
                "description": "A model cannot be billed, or the server is still starting.",
                "content": {**_content(Billing)["content"], **problem_content()},
            },
        }
        router.add_api_route("/billing", self.billing, methods=["GET"], responses=billing)
        for path, answer in (
            ("/live", self.live),
            ("/ready", self.ready),
            ("/billing", self.billing),
        ):
            router.add_api_route(path, answer, methods=["HEAD"], include_in_schema=False)
        return router

    async def live(self) -> Response:
        """The process answers."""
        return json_answer(Live(status="live"))

    async def ready(self) -> Response:
        """200 once a turn can be served; 503 with what is still missing."""
        parts = await self._services.health.parts()
        ready = all(part.ready for part in parts if part.needed)
        document = Ready(
            status="ready" if ready else "warming",
            parts=[
                PartDocument(
                    name=part.name, ready=part.ready, needed=part.needed, detail=part.detail
                )
                for part in parts
            ],
        )
        return json_answer(document, status=200 if ready else 503)

    async def billing(self) -> Response:
        """200 where every model that a workflow names has a verified price now, else 503.

        Names of models are left out where the deployment hides them.
        """
        models = self._services.health.billing()
        complete = all(each.priced and each.verified for each in models)
        document = Billing(
            status="complete" if complete else "incomplete",
            models=[
                ModelPrice(
                    provider=each.factory,
                    model=each.model_code,
                    priced=each.priced,
                    verified=each.verified,
                    detail=each.detail,
                )
                for each in models
                if self._show.models
            ],
        )
        return json_answer(document, status=200 if complete else 503)


def _content(document: type[msgspec.Struct]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": reference(document)}}}
