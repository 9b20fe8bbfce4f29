"""`/v1/agent-chat`: one message in, one turn out."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.types import Receive

from callsheet.agui.capabilities import capabilities_of
from callsheet.agui.request import parse_request
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import RunInput
from callsheet.agui.show import ShowOptions
from callsheet.api.answer import json_answer
from callsheet.api.caller import caller_of
from callsheet.api.documents import Answer
from callsheet.api.looking_on import begun_stream
from callsheet.api.openapi import BODY_ERRORS, answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.stream_response import run_headers
from callsheet.api.whole_answer import WholeAnswer
from callsheet.kit.errors import AppError
from callsheet.kit.log import log_context
from callsheet.runs.started import StartedRun

_LARGE_BYTES: Final = 262_144
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "A RunAgentInput of AG-UI 1.0 or 0.x. The last user message is the new one; "
        "the rest of the history is the server's own.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["threadId", "runId", "messages"],
                    "properties": {
                        "threadId": {"type": "string", "maxLength": 200},
                        "runId": {"type": "string", "maxLength": 200},
                        "protocolVersion": {"type": "string"},
                        "messages": {"type": "array", "items": {"type": "object"}},
                    },
                }
            }
        },
    }
}
_ANSWERS: Final = answers(
    Answer, 402, 404, 409, 429, *BODY_ERRORS,
    means="The run's events, or with `Accept: application/json` its answer.",
)  # fmt: skip
_ANSWERS[200]["content"]["text/event-stream"] = {"schema": {"type": "string"}}
_CAPABILITIES: Final = answers(None, 404, means="AG-UI's AgentCapabilities.")


class AgentChatRoutes:
    """Starts turns and shows them."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._options = options

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(tags=["agent-chat"])
        for path in ("/v1/agent-chat", "/v1/agent-chat/{workflow}"):
            router.add_api_route(
                path,
                self.chat if path.endswith("}") else self.default_chat,
                methods=["POST"],
                openapi_extra=_BODY,
                responses=_ANSWERS,
                response_class=Response,
            )
        router.add_api_route(
            "/v1/agent-chat/{workflow}/capabilities",
            self.capabilities,
            methods=["GET"],
            responses=_CAPABILITIES,
        )
        return router

    async def default_chat(self, request: Request) -> Response:
        """Run one turn of the default workflow."""
        return await self._run(request, None)

    async def chat(self, request: Request, workflow: str) -> Response:
        """Run one turn of the workflow."""
        return await self._run(request, workflow)

    async def capabilities(self, request: Request, workflow: str) -> Response:
        """What the workflow can do, as AG-UI's AgentCapabilities."""
        await caller_of(request, self._services.identities)
        await self._services.workflows.refresh()
        return json_answer(
            capabilities_of(
                self._services.workflows.get(workflow),
                self._options.show,
                self._services.tools.known(),
            )
        )

    async def _run(self, request: Request, workflow: str | None) -> Response:
        principal = await caller_of(request, self._services.identities)
        body = await request.body()
        asked = await self._parsed(body, principal.user_id)
        ids = {"run_id": str(asked.run_id), "session_id": str(asked.session_id)}
        with log_context(**ids):
            run = await self._services.chat.start(
                principal, workflow, asked, request.scope["trace_id"]
            )
        if wants_document(request.headers.get("accept")):
            return await _document(run, asked, self._options.show, request.receive)
        parent = asked.raw_parent_run_id or run.raw_parent_run_id
        wire = WireIds(asked.raw_thread_id, asked.raw_run_id, parent)
        return begun_stream(run, wire, asked, self._options, self._services.sessions)

    async def _parsed(self, body: bytes, user_id: UUID) -> RunInput:
        limit = self._options.max_message_chars
        if len(body) <= _LARGE_BYTES:
            return parse_request(body, user_id, max_message_chars=limit)
        # Megabytes of state take seconds; other turns go on meanwhile.
        return await asyncio.to_thread(parse_request, body, user_id, max_message_chars=limit)


def wants_document(accept: str | None) -> bool:
    """Whether the caller asks for one JSON document and not for a stream."""
    kinds = {part.partition(";")[0].strip().lower() for part in (accept or "").split(",")}
    return "application/json" in kinds and "text/event-stream" not in kinds


class _CallerGoneError(Exception):
    """The caller has closed the connection."""


async def _document(
    run: StartedRun, asked: RunInput, show: ShowOptions, receive: Receive
) -> Response:
    """The run's answer once it has ended; a caller that goes away looks on no more."""
    answer = WholeAnswer(show)
    failure: AppError | None = None
    try:
        async with aclosing(run.entries) as entries, asyncio.TaskGroup() as group:
            watch = group.create_task(_watch(receive))
            try:
                async for batch in entries:
                    for entry in batch:
                        answer.take(entry.event)
            except AppError as error:
                failure = error
            watch.cancel()
    except* _CallerGoneError:
        pass  # nobody reads what follows
    if failure is not None:
        raise failure
    headers = run_headers(run.session_id, run.run_id)
    return json_answer(answer.document(run, asked), status=HTTPStatus.OK, headers=headers)


async def _watch(receive: Receive) -> None:
    """Raise once the caller is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
    raise _CallerGoneError
