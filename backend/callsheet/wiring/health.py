"""Whether this process can serve turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from callsheet.kit.errors import AppError, Unavailable
from callsheet.kit.readiness import Part
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.report.billing import ModelBilling, billing_of
from callsheet.wiring.application import DATABASE, Application

SANDBOX: Final = "sandbox"
_PING_S: Final = 2.0


class HealthService:
    """Asks the parts of one application."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def parts(self) -> Sequence[Part]:
        """Every part that turns use; the database is asked now."""
        parts = list(self._application.readiness.parts())
        for index, part in enumerate(parts):
            if part.name == DATABASE and part.ready:
                parts[index] = await self._database()
        return [*parts, self._sandbox()]

    def billing(self) -> Sequence[ModelBilling]:
        """Every model that an active workflow calls, with what is wrong with its price.

        The rehearsal stands in the place of every model whose factory has no key.
        """
        application = self._application
        book, now = application.core().prices, application.adapters.clock.now()
        workflows = [application.workflows.get(name) for name in application.workflows.names()]
        codes = {
            agent.default_model
            for workflow in workflows
            for stage in workflow.stages
            for agent in stage.agents.values()
        }
        return list(dict.fromkeys(self._billed(code, book, now) for code in sorted(codes)))

    def _billed(self, code: str, book: PriceBook, now: datetime) -> ModelBilling:
        try:
            model = self._application.llm.models.get(code)
        except Unavailable as error:  # it cannot be called either
            return ModelBilling("", code, priced=False, verified=False, detail=str(error))
        return billing_of(book, model.factory, model.model_code, now)

    def _sandbox(self) -> Part:
        """As it was last seen; turns are served without it."""
        state = self._application.sandbox.sandbox.state()
        detail = state.detail
        if state.ready and not detail and state.pool_size:
            detail = f"{state.warm} of {state.pool_size} containers wait"
        return Part(SANDBOX, ready=state.ready, detail=detail, needed=False)

    async def _database(self) -> Part:
        try:
            async with asyncio.timeout(_PING_S):
                await self._application.core().database.ping()
        except (AppError, TimeoutError) as error:
            return Part(DATABASE, ready=False, detail=str(error) or "no answer in time")
        return Part(DATABASE, ready=True)
