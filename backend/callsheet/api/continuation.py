"""`POST /v1/runs/{id}/continue`: go on where a run broke off."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.agui.request import check_id, protocol_of, storable
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import ContinuationInput
from callsheet.api.body import read_fields
from callsheet.api.caller import caller_of, path_id
from callsheet.api.fields import Continuation
from callsheet.api.looking_on import begun_stream, stream_answers
from callsheet.api.openapi import BODY_ERRORS, answers, body
from callsheet.api.ports import ApiOptions, Services
from callsheet.auth.principal import Principal
from callsheet.kit.ids import new_id, resolve_id

_ANSWERS = {
    **answers(None, 402, 404, 409, 429, *BODY_ERRORS),
    **stream_answers("The events of the new run."),
}


class ContinuationRoutes:
    """Runs that go on from others."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._options = options

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter(prefix="/v1/runs", tags=["runs"])
        router.add_api_route(
            "/{run_id}/continue",
            self.start,
            methods=["POST"],
            openapi_extra=body(Continuation),
            responses=_ANSWERS,
            response_class=Response,
        )
        return router

    async def start(self, request: Request, run_id: str) -> Response:
        """Begin a new run that does not do again what the one before it has done."""
        caller = await caller_of(request, self._services.identities)
        asked = _input(await read_fields(request, Continuation), caller)
        before, run = await self._services.continuations.start(
            caller, path_id(caller, "run", run_id), asked, request.scope["trace_id"]
        )
        wire = WireIds(before.raw_thread_id, asked.raw_run_id, before.raw_run_id)
        return begun_stream(run, wire, asked, self._options, self._services.sessions)


def _input(fields: Continuation, caller: Principal) -> ContinuationInput:
    raw_id = str(new_id()) if fields.run_id is None else check_id(fields.run_id, "runId")
    return ContinuationInput(
        protocol=protocol_of(fields.protocol_version),
        run_id=resolve_id(raw_id, caller.user_id, "run"),
        raw_run_id=raw_id,
        state=storable(fields.state, "state"),
    )
