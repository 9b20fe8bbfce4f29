"""The HTTP application: routers, error answers, the outermost layer, the built-in page."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from fastapi import FastAPI

from callsheet.api.agent_chat import AgentChatRoutes
from callsheet.api.catalog import CatalogRoutes
from callsheet.api.door import Door
from callsheet.api.errors import install_error_answers
from callsheet.api.health import HealthRoutes
from callsheet.api.page import PageRoutes
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.runs import RunRoutes
from callsheet.api.sessions import SessionRoutes


class Lifespan(Protocol):
    """What is opened before the first request and closed after the last one."""

    def __call__(self, app: FastAPI, /) -> AbstractAsyncContextManager[Any]: ...


def create_app(
    services: Services, options: ApiOptions, lifespan: Lifespan | None = None
) -> FastAPI:
    """The application on top of these services; knows no settings and opens nothing itself."""
    app = FastAPI(
        title="Callsheet",
        version="0.1.0",
        description="Agent chat over AG-UI; see /docs of the project for the events.",
        lifespan=lifespan,
        redirect_slashes=False,
    )
    for routes in (
        AgentChatRoutes(services, options),
        RunRoutes(services),
        SessionRoutes(services),
        CatalogRoutes(services),
        HealthRoutes(services),
        PageRoutes(),
    ):
        app.include_router(routes.router())
    install_error_answers(app)
    app.add_middleware(Door, options=options)
    return app
