"""`/v1/prices`: what models cost, for everybody; and for admins, the way to change it."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.body import read_fields, read_page
from callsheet.api.caller import caller_of
from callsheet.api.openapi import BODY_ERRORS, answers, body
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.price_documents import ModelPrices, PricePage
from callsheet.api.price_fields import NewPrice
from callsheet.api.price_views import model_prices_view, price_view
from callsheet.api.query import check_parameters, read_flag, read_name
from callsheet.auth.principal import ADMIN, Principal, require_admin
from callsheet.catalog.price_list import PriceFilter
from callsheet.kit.errors import Forbidden
from callsheet.kit.text import clean

_OF_LIST: Final = frozenset({"factory", "model", "history", "limit", "cursor"})


class PriceRoutes:
    """Prices. There is no way to edit a row: one is closed and the next begins."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1/prices", tags=["prices"])
        add = router.add_api_route
        add("", self.list, methods=["GET"], responses=answers(PricePage, 403))
        add(
            "",
            self.change,
            methods=["POST"],
            status_code=201,
            responses=answers(ModelPrices, 403, 409, *BODY_ERRORS, status=201),
            openapi_extra=body(NewPrice),
        )
        add(
            "/{factory}/{model:path}",
            self.of_model,
            methods=["GET"],
            responses=answers(ModelPrices, 403, 404),
        )
        return router

    async def list(
        self,
        request: Request,
        factory: Annotated[str | None, Query(description="Only this provider.")] = None,
        model: Annotated[str | None, Query(description="Only this model code.")] = None,
        history: Annotated[
            str | None, Query(description="`true`: those of the past and of the future too.")
        ] = None,
        limit: str | None = None,
        cursor: str | None = None,
    ) -> Response:
        """Prices that are valid now, by provider, model, window and tier."""
        caller = await self._reader(request)
        check_parameters(request, _OF_LIST)
        prices = self._services.prices
        wanted = PriceFilter(
            factory=read_name("factory", factory),
            model_code=read_name("model", model),
            at=None if read_flag("history", history) else prices.now(),
        )
        page = await prices.list(wanted, read_page(limit, cursor))
        authors = ADMIN in caller.scopes
        items = [price_view(record, authors=authors) for record in page.items]
        return json_answer(PricePage(items=items, next_cursor=page.next_cursor))

    async def of_model(self, request: Request, factory: str, model: str) -> Response:
        """Every price of a model, with the hours of its windows."""
        caller = await self._reader(request)
        found = await self._services.prices.of_model(clean(factory), clean(model))
        return json_answer(model_prices_view(found, authors=ADMIN in caller.scopes))

    async def change(self, request: Request) -> Response:
        """Close the price that holds and begin this one, now or from `validFrom` on."""
        caller = await caller_of(request, self._services.identities)
        require_admin(caller)
        asked = await read_fields(request, NewPrice)
        prices = self._services.prices
        entry = asked.entry(asked.valid_from or await prices.soonest())
        warnings = await prices.doubts(entry)
        changed = await prices.change(caller, entry)
        view = model_prices_view(changed, authors=True, warnings=warnings)
        return json_answer(view, status=201)

    async def _reader(self, request: Request) -> Principal:
        caller = await caller_of(request, self._services.identities)
        if ADMIN not in caller.scopes and not self._show.everything:
            raise Forbidden("Models and what they cost are not shown here.")
        return caller
