"""`/v1/usage`: what the caller has spent; with the scope `admin`, what others have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response, StreamingResponse

from callsheet.agui.show import SHOW_EVERYTHING, ShowOptions
from callsheet.api.answer import json_answer
from callsheet.api.body import read_page
from callsheet.api.caller import caller_of
from callsheet.api.openapi import Answers, answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.query import check_parameters
from callsheet.api.usage_documents import UsageCallPage, UsageReport, UsageToday
from callsheet.api.usage_query import UsageQuery
from callsheet.api.usage_views import (
    call_page,
    report_view,
    shown_columns,
    shown_rows,
    today_view,
)
from callsheet.auth.principal import ADMIN, Principal
from callsheet.kit.errors import BadInput
from callsheet.ledger.report.calls import Call
from callsheet.ledger.report.chunks import Chunks
from callsheet.ledger.report.column import Column
from callsheet.ledger.report.formats import FileFormat, open_sheet

_KINDS: Final[dict[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
}
Asked = Annotated[UsageQuery, Depends()]


class UsageRoutes:
    """The caller's usage. An admin sees names and money also where clients do not."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/v1/usage", tags=["usage"])
        add = router.add_api_route
        add("/today", self.today, methods=["GET"], responses=answers(UsageToday))
        add("/recent", self.recent, methods=["GET"], responses=answers(UsageCallPage))
        add("/report", self.report, methods=["GET"], responses=answers(UsageReport, 403, 404))
        add("/export", self.export, methods=["GET"], responses=_export_answers(),
            response_class=StreamingResponse)  # fmt: skip
        return router

    async def today(self, request: Request) -> Response:
        """The caller's present day and month, and what is left of the limits that are set."""
        caller = await caller_of(request, self._services.identities)
        check_parameters(request, set())
        today = await self._services.usage.today(caller)
        return json_answer(today_view(today, self._shown_to(caller)))

    async def recent(
        self, request: Request, limit: str | None = None, cursor: str | None = None
    ) -> Response:
        """The caller's own calls, newest first."""
        caller = await caller_of(request, self._services.identities)
        check_parameters(request, {"limit", "cursor"})
        page = await self._services.usage.recent(caller, read_page(limit, cursor))
        return json_answer(call_page(page, self._shown_to(caller)))

    async def report(self, request: Request, asked: Asked, by: str | None = None) -> Response:
        """Sums over the calls that started in a period (unset: this month).

        `by`: groups, comma-separated, of day, model, user, stage, agent, tool, purpose, session
        and workflow; unset: one sum.
        """
        caller = await caller_of(request, self._services.identities)
        show = self._shown_to(caller)
        question = asked.question(caller, show, by, "by")
        period, found = await self._services.usage.report(caller, question)
        # Thousands of groups would take the event loop for a tenth of a second.
        return await asyncio.to_thread(lambda: json_answer(report_view(found, period, show)))

    async def export(self, request: Request, asked: Asked, format: str = "csv") -> Response:  # noqa: A002
        """Every call of a period, oldest first, as CSV or JSON lines (`format=jsonl`)."""
        caller = await caller_of(request, self._services.identities)
        show = self._shown_to(caller)
        question = asked.question(caller, show, None, "format")
        if format not in _KINDS:
            raise BadInput("format is csv or jsonl.", field="format")
        period, pages = await self._services.usage.export(caller, question)
        name = f"calls-{period.first}-{period.last}.{format}"
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
        }
        chunks = _written(pages, cast(FileFormat, format), shown_columns(show))
        return StreamingResponse(chunks, media_type=_KINDS[format], headers=headers)

    def _shown_to(self, caller: Principal) -> ShowOptions:
        return SHOW_EVERYTHING if ADMIN in caller.scopes else self._show


async def _written(
    pages: AsyncIterator[Sequence[Call]], kind: FileFormat, columns: Sequence[Column]
) -> AsyncIterator[bytes]:
    """The file in parts, one for each page."""
    chunks = Chunks()
    sheet = open_sheet(kind, chunks, columns)
    async for calls in pages:
        sheet.write(shown_rows(calls, columns))
        yield chunks.take()
    sheet.close()
    yield chunks.take()


def _export_answers() -> Answers:
    """A file has no document."""
    found = answers(None, 403, 404, means="The file, as it is read.")
    found[200]["content"] = {
        kind.partition(";")[0]: {"schema": cast(Any, {"type": "string"})}
        for kind in _KINDS.values()
    }
    return found
