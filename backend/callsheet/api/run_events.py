"""`GET /v1/runs/{id}/events`: look on at a run from any place of its stream, at any time."""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.agui.place import Place, parse_place
from callsheet.agui.viewer import Viewer
from callsheet.api.caller import caller_of, path_id
from callsheet.api.encoded import encoded
from callsheet.api.looking_on import (
    VERSION_PARAMETER,
    encoder_for,
    protocol_asked,
    run_stream,
    stream_answers,
)
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.stream_response import STREAM_HEADERS, run_headers
from callsheet.runs.watched import WatchedRun

_HEADER: Final = "Last-Event-ID"
_QUERY: Final = "after"
_ANSWERS: Final = {
    **stream_answers("The run's events, those that were sent before first."),
    204: {"description": "The run has ended, and the place is behind its last frame."},
}
_WHERE: Final = (
    "The id of the last frame that was seen, or `seq.n`, or `seq`; what follows it is sent."
)
_PARAMETERS: Final[list[dict[str, Any]]] = [
    {"name": name, "in": where, "description": _WHERE, "schema": {"type": "string"}}
    for name, where in ((_HEADER, "header"), (_QUERY, "query"))
] + [VERSION_PARAMETER]


class RunEventRoutes:
    """The stream of a run that was let in before."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._options = options

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter(prefix="/v1/runs", tags=["runs"])
        router.add_api_route(
            "/{run_id}/events",
            self.events,
            methods=["GET"],
            responses=_ANSWERS,
            response_class=Response,
            openapi_extra={"parameters": _PARAMETERS},
        )
        return router

    async def events(self, request: Request, run_id: str) -> Response:
        """The run's stream from its beginning, or from a place in it, and then live.

        A frame has the id that it had the first time. Behind the last one there is nothing: 204,
        so that a browser asks no more.
        """
        caller = await caller_of(request, self._services.identities)
        id_ = path_id(caller, "run", run_id)
        place = _place(request, id_)
        watched = await self._services.runs.watch(caller, id_)
        viewer = Viewer(watched.asked.client_state, place, protocol=protocol_asked(request))
        if place is not None and watched.last_seq is not None and place.seq >= watched.last_seq:
            return await self._rest(watched, viewer, place)
        return run_stream(watched, viewer, self._options, self._services.sessions)

    async def _rest(self, watched: WatchedRun, viewer: Viewer, place: Place) -> Response:
        """What follows a place in the last entry of a run that has ended, mostly nothing.

        Which frame is the last is known once all are written.
        """
        run, rest = watched.run, b""
        async with aclosing(watched.entries) as entries:
            if not place.is_behind_all(watched.last_seq or 0):
                encoder = encoder_for(watched, viewer, self._options)
                said = partial(self._services.sessions.streamed, run.session_id, run.id)
                async for batch in entries:
                    rest += await encoded(encoder, batch, said)
        if not rest:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        return Response(rest, headers={**STREAM_HEADERS, **run_headers(run.session_id, run.id)})


def _place(request: Request, run_id: UUID) -> Place | None:
    """Where to go on; what the address says goes before what a browser repeats by itself."""
    for field, text in (
        (_QUERY, request.query_params.get(_QUERY)),
        (_HEADER, request.headers.get(_HEADER)),
    ):
        if text:
            return parse_place(text, run_id, field)
    return None
