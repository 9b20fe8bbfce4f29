"""The HTTP application: routers, error answers, the outermost layer, the built-in page."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib import metadata
from typing import Any, Protocol

from fastapi import FastAPI

from callsheet.agui.show import ShowOptions
from callsheet.api.agent_chat import AgentChatRoutes
from callsheet.api.artifacts import ArtifactRoutes
from callsheet.api.catalog import CatalogRoutes
from callsheet.api.connect import ConnectRoutes
from callsheet.api.continuation import ContinuationRoutes
from callsheet.api.door import Door
from callsheet.api.errors import install_error_answers
from callsheet.api.health import HealthRoutes
from callsheet.api.interrupts import InterruptRoutes
from callsheet.api.metrics import MetricsRoutes
from callsheet.api.openapi import install_openapi, operation_id
from callsheet.api.page import PageRoutes
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.prices import PriceRoutes
from callsheet.api.quota import QuotaRoutes
from callsheet.api.run_events import RunEventRoutes
from callsheet.api.runs import RunRoutes
from callsheet.api.sessions import SessionRoutes
from callsheet.api.todos import TodoRoutes
from callsheet.api.tools import ToolRoutes
from callsheet.api.usage import UsageRoutes
from callsheet.auth.exposure import own_hosts
from callsheet.metrics.page import MetricsPage
from callsheet.wiring.application import Application
from callsheet.wiring.artifacts import ArtifactService
from callsheet.wiring.catalogs import WorkflowService
from callsheet.wiring.health import HealthService
from callsheet.wiring.identities import make_identities
from callsheet.wiring.interrupts import InterruptService
from callsheet.wiring.title_model import make_titles
from callsheet.wiring.todos import TodoService
from callsheet.wiring.tool_list import ToolListService


class Lifespan(Protocol):
    """What is opened before the first request and closed after the last one."""

    def __call__(self, app: FastAPI, /) -> AbstractAsyncContextManager[Any]: ...


def create_app(
    services: Services, options: ApiOptions, lifespan: Lifespan | None = None
) -> FastAPI:
    """The application on top of these services; knows no settings and opens nothing itself."""
    app = FastAPI(
        title="Callsheet",
        version=metadata.version("callsheet"),
        description="Agent chat over AG-UI; docs/events.md has the events.",
        lifespan=lifespan,
        redirect_slashes=False,
        docs_url=None,  # these two pages load their scripts from other people's servers
        redoc_url=None,
        generate_unique_id_function=operation_id,
    )
    routers = [
        AgentChatRoutes(services, options).router(),
        RunRoutes(services, options).router(),
        RunEventRoutes(services, options).router(),
        ContinuationRoutes(services, options).router(),
        ConnectRoutes(services, options).router(),
        SessionRoutes(services, options).router(),
        ArtifactRoutes(services, options).router(),
        TodoRoutes(services, options).router(),
        InterruptRoutes(services, options).router(),
        CatalogRoutes(services, options).router(),
        ToolRoutes(services, options).router(),
        PriceRoutes(services, options).router(),
        UsageRoutes(services, options).router(),
        QuotaRoutes(services, options).router(),
        HealthRoutes(services, options).router(),
        MetricsRoutes(services, options).router(),
        PageRoutes().router(),
    ]
    for router in routers:
        app.include_router(router)
    install_error_answers(
        app, [route for router in routers for route in router.routes], options.show
    )
    install_openapi(app)
    app.add_middleware(Door, options=options)
    return app


def create_app_for(application: Application, lifespan: Lifespan | None = None) -> FastAPI:
    """The HTTP application of one process.

    Raises:
        SetupError: the keys are malformed.
    """
    settings = application.settings
    services = Services(
        identities=make_identities(settings, application.stored_keys, application.adapters.clock),
        chat=application.chat,
        runs=application.runs,
        continuations=application.continuations,
        sessions=application.sessions,
        titles=make_titles(application),
        artifacts=ArtifactService(application.core, application.folders.data),
        todos=TodoService(application.core),
        interrupts=InterruptService(application.core),
        workflows=WorkflowService(application.workflows, settings.default_workflow),
        models=application.llm.models,
        tools=ToolListService(
            application.tools.registry,
            application.llm.rules,
            application.workflows,
            settings.default_workflow,
            lambda: application.core().database,
            application.mcp,
        ),
        prices=application.prices,
        usage=application.usage,
        quotas=application.quotas,
        health=HealthService(application),
        metrics=MetricsPage(application.call_metrics.all()),
    )
    options = ApiOptions(
        own_hosts=own_hosts(settings.server.host) if settings.takes_local_user else frozenset(),
        allowed_origins=frozenset(settings.cors.origins),
        max_body_bytes=settings.limits.body_bytes,
        max_message_chars=settings.limits.message_chars,
        open_metrics=settings.server.open_metrics,
        show=ShowOptions(costs=settings.show.costs, models=settings.show.models),
        language=settings.label_language,
    )
    return create_app(services, options, lifespan)
