"""`/health`: is the process alive, can it serve turns."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.ports import Services


class HealthRoutes:
    """For whoever watches the process; asks for no key and tells nothing about users."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/health", tags=["health"])
        router.add_api_route("/live", self.live, methods=["GET"])
        router.add_api_route("/ready", self.ready, methods=["GET"])
        return router

    async def live(self) -> Response:
        """The process answers."""
        return json_answer({"status": "live"})

    async def ready(self) -> Response:
        """200 once a turn can be served; 503 with what is still missing."""
        parts = await self._services.health.parts()
        ready = all(part.ready for part in parts)
        return json_answer(
            {
                "status": "ready" if ready else "warming",
                "parts": [
                    {"name": part.name, "ready": part.ready, "detail": part.detail}
                    for part in parts
                ],
            },
            status=200 if ready else 503,
        )
