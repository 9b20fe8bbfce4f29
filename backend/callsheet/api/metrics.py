"""`/metrics`: what a scraper of Prometheus reads."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.api.caller import caller_of
from callsheet.api.ports import ApiOptions, Services
from callsheet.auth.principal import require_admin


class MetricsRoutes:
    """Numbers about models and money of all users: for an admin, or where the operator opens it."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._identities = services.identities
        self._metrics = services.metrics
        self._is_open = options.open_metrics

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter(include_in_schema=False)
        router.add_api_route("/metrics", self.read, methods=["GET"])
        return router

    async def read(self, request: Request) -> Response:
        """The metrics of this process as they stand now."""
        if not self._is_open:
            require_admin(await caller_of(request, self._identities))
        return Response(
            self._metrics.text(),
            media_type=self._metrics.content_type,
            headers={"Cache-Control": "no-store"},
        )
