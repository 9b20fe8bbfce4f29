"""`GET /v1/sessions/{id}/connect`: come back to a session with nothing in hand."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.agui.history import at_rest, from_before
from callsheet.agui.run_frames import WireIds
from callsheet.agui.viewer import Viewer
from callsheet.api.caller import caller_of, path_id
from callsheet.api.looking_on import (
    VERSION_PARAMETER,
    protocol_asked,
    run_stream,
    stream_answers,
)
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.stream_response import STREAM_HEADERS
from callsheet.kit.ids import part_id
from callsheet.kit.money import plain
from callsheet.stream.connected import ConnectedSession

_ANSWERS: Final = stream_answers("The session's history and state, and its run live.")


class ConnectRoutes:
    """The stream of a session."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._options = options

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter(prefix="/v1/sessions", tags=["sessions"])
        router.add_api_route(
            "/{session_id}/connect",
            self.connect,
            methods=["GET"],
            responses=_ANSWERS,
            response_class=Response,
            openapi_extra={"parameters": [VERSION_PARAMETER]},
        )
        return router

    async def connect(self, request: Request, session_id: str) -> Response:
        """What was said and the state; then, from its beginning, the run that is under way.

        Where none is, the stream ends at once, as a run does.
        """
        caller = await caller_of(request, self._services.identities)
        id_ = path_id(caller, "session", session_id)
        connected = await self._services.sessions.connect(caller, id_)
        if connected.watched is None:
            return self._at_rest(connected, session_id)
        history = from_before(connected.messages, connected.todo)
        viewer = Viewer(history=history, protocol=protocol_asked(request))
        return run_stream(connected.watched, viewer, self._options, self._services.sessions)

    def _at_rest(self, connected: ConnectedSession, thread_id: str) -> Response:
        session = connected.session
        total: dict[str, Any] = {"totalTokens": session.total_tokens}
        if self._options.show.costs:
            total |= {"totalCost": plain(session.total_cost), "currency": connected.currency}
        ids = WireIds(thread_id, str(part_id(session.id, "connect")))
        return Response(
            at_rest(ids, from_before(connected.messages, connected.todo), total),
            headers={**STREAM_HEADERS, "X-Session-Id": str(session.id)},
        )
