"""`/v1/usage/quota`: what the caller may spend; for admins, what others may."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.body import read_fields
from callsheet.api.caller import caller_of
from callsheet.api.openapi import BODY_ERRORS, answers, body
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.query import check_parameters, read_name
from callsheet.api.quota_documents import OwnLimits, Quota
from callsheet.api.quota_views import override_of, quota_view
from callsheet.auth.principal import ADMIN, require_admin

User = Annotated[
    str | None, Query(description="The name of a user; unset: the caller. Others: admins only.")
]


class QuotaRoutes:
    """Limits of users."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1/usage", tags=["usage"])
        add = router.add_api_route
        add("/quota", self.quota, methods=["GET"], responses=answers(Quota, 404))
        add("/quota", self.set_quota, methods=["PUT"], openapi_extra=body(OwnLimits),
            responses=answers(Quota, 403, 404, *BODY_ERRORS))  # fmt: skip
        return router

    async def quota(self, request: Request, user: User = None) -> Response:
        """The limits that hold for a user, and what was set for them alone."""
        caller = await caller_of(request, self._services.identities)
        quota = await self._services.quotas.get(caller, _named(request, user))
        costs = self._show.costs or ADMIN in caller.scopes
        return json_answer(quota_view(quota, costs=costs))

    async def set_quota(self, request: Request, user: User = None) -> Response:
        """Replace what is set for a user; every process follows within ten seconds."""
        caller = await caller_of(request, self._services.identities)
        require_admin(caller)
        limits = await read_fields(request, OwnLimits)
        quota = await self._services.quotas.set(caller, _named(request, user), override_of(limits))
        return json_answer(quota_view(quota, costs=True))


def _named(request: Request, user: str | None) -> str | None:
    check_parameters(request, {"user"})
    return read_name("user", user)
