"""`/v1/sessions/{id}/todo-list`: the steps that an agent has set itself."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.api.answer import json_answer
from callsheet.api.caller import caller_of, path_id
from callsheet.api.openapi import answers
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.todo_documents import TodoList, todo_view


class TodoRoutes:
    """The list of a session."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        del options
        self._services = services

    def router(self) -> APIRouter:
        """The route."""
        router = APIRouter(prefix="/v1/sessions", tags=["sessions"])
        router.add_api_route(
            "/{session_id}/todo-list",
            self.todo_list,
            methods=["GET"],
            responses={
                **answers(TodoList, 404),
                204: {"description": "The session has no list."},
            },
        )
        return router

    async def todo_list(self, request: Request, session_id: str) -> Response:
        """The session's todo list as it stands; 204 where no agent has opened one."""
        caller = await caller_of(request, self._services.identities)
        found = await self._services.todos.find(caller, path_id(caller, "session", session_id))
        if found is None:
            return Response(status_code=204)
        return json_answer(todo_view(found))
