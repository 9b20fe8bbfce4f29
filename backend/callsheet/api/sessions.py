"""`/v1/sessions`: conversations, their messages and their runs."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from callsheet.agui.request import check_id
from callsheet.api.answer import json_answer
from callsheet.api.body import read_fields, read_page
from callsheet.api.caller import caller_of, path_id
from callsheet.api.documents import MessagePage, RunPage, Session, SessionPage, Stopped
from callsheet.api.fields import NewSession, SessionEdit
from callsheet.api.openapi import BODY_ERRORS, answers, body
from callsheet.api.ports import ApiOptions, Services
from callsheet.api.query import read_name
from callsheet.api.session_edit import change_of, check_title
from callsheet.api.views import message_page, run_page, run_view, session_page, session_view
from callsheet.kit.errors import NotFound
from callsheet.kit.ids import resolve_id


class SessionRoutes:
    """The caller's sessions."""

    def __init__(self, services: Services, options: ApiOptions) -> None:
        self._services = services
        self._show = options.show

    def router(self) -> APIRouter:
        """The routes; `recent` stands before `{session_id}`, which would take it."""
        router = APIRouter(prefix="/v1/sessions", tags=["sessions"])
        add = router.add_api_route
        one, page = answers(Session, 404), answers(SessionPage)
        add("", self.create, methods=["POST"], status_code=201, openapi_extra=body(NewSession),
            responses=answers(Session, 404, *BODY_ERRORS, status=201))  # fmt: skip
        add("", self.list, methods=["GET"], responses=page)
        add("/recent", self.recent, methods=["GET"], responses=one)
        add("/{session_id}", self.get, methods=["GET"], responses=one)
        add("/{session_id}", self.edit, methods=["PATCH"], openapi_extra=body(SessionEdit),
            responses=answers(Session, 404, *BODY_ERRORS))  # fmt: skip
        add("/{session_id}", self.delete, methods=["DELETE"], status_code=204,
            responses=answers(None, 404, 409, status=204))  # fmt: skip
        add("/{session_id}/messages", self.messages, methods=["GET"],
            responses=answers(MessagePage, 404))  # fmt: skip
        add("/{session_id}/messages/{message_id}", self.delete_message, methods=["DELETE"],
            status_code=204, responses=answers(None, 404, status=204))  # fmt: skip
        add("/{session_id}/title", self.title, methods=["POST"],
            responses=answers(Session, 402, 404, 409, 422, 429))  # fmt: skip
        add("/{session_id}/runs", self.runs, methods=["GET"], responses=answers(RunPage, 404))
        add("/{session_id}/cancel", self.cancel, methods=["POST"],
            responses=answers(Stopped, 404, 409))  # fmt: skip
        return router

    async def create(self, request: Request) -> Response:
        """Make an empty session; the same id again gives the same session."""
        caller = await caller_of(request, self._services.identities)
        asked = await read_fields(request, NewSession)
        own_id = None
        if asked.id is not None:
            own_id = resolve_id(check_id(asked.id, "id"), caller.user_id, "session")
        title = None if asked.title is None else check_title(asked.title)
        session = await self._services.sessions.create(caller, own_id, title)
        return json_answer(session_view(session, self._show), status=201)

    async def list(
        self,
        request: Request,
        limit: str | None = None,
        cursor: str | None = None,
        q: str | None = None,
    ) -> Response:
        """The caller's sessions, pinned ones and then most recent activity first.

        `q`: those that have these words in their title or in what was said.
        """
        caller = await caller_of(request, self._services.identities)
        words = read_name("q", q)
        page = await self._services.sessions.list(caller, read_page(limit, cursor), words)
        return json_answer(session_page(page, self._show))

    async def recent(self, request: Request) -> Response:
        """The session with the most recent activity; 404 where there is none."""
        caller = await caller_of(request, self._services.identities)
        session = await self._services.sessions.recent(caller)
        if session is None:
            raise NotFound("There is no session yet.")
        return json_answer(session_view(session, self._show))

    async def get(self, request: Request, session_id: str) -> Response:
        """One session."""
        caller = await caller_of(request, self._services.identities)
        found = await self._services.sessions.get(caller, path_id(caller, "session", session_id))
        return json_answer(session_view(found, self._show))

    async def edit(self, request: Request, session_id: str) -> Response:
        """Change what is named: null takes away what is set."""
        caller = await caller_of(request, self._services.identities)
        change = change_of(await read_fields(request, SessionEdit))
        session = await self._services.sessions.change(
            caller, path_id(caller, "session", session_id), change
        )
        return json_answer(session_view(session, self._show))

    async def title(self, request: Request, session_id: str) -> Response:
        """Have a model give the session a title; it is a call that is paid for."""
        caller = await caller_of(request, self._services.identities)
        id_ = path_id(caller, "session", session_id)
        session = await self._services.titles.write(caller, id_)
        return json_answer(session_view(session, self._show))

    async def delete(self, request: Request, session_id: str) -> Response:
        """Delete the session and its messages; its active run is stopped."""
        caller = await caller_of(request, self._services.identities)
        await self._services.sessions.delete(caller, path_id(caller, "session", session_id))
        return Response(status_code=204)

    async def messages(
        self,
        request: Request,
        session_id: str,
        limit: str | None = None,
        cursor: str | None = None,
    ) -> Response:
        """The session's messages, oldest first."""
        caller = await caller_of(request, self._services.identities)
        page = await self._services.sessions.messages(
            caller, path_id(caller, "session", session_id), read_page(limit, cursor)
        )
        return json_answer(message_page(page, self._show))

    async def delete_message(self, request: Request, session_id: str, message_id: str) -> Response:
        """Delete one message; what it cost stays in the totals."""
        caller = await caller_of(request, self._services.identities)
        await self._services.sessions.delete_message(
            caller,
            path_id(caller, "session", session_id),
            path_id(caller, "message", message_id),
        )
        return Response(status_code=204)

    async def runs(
        self,
        request: Request,
        session_id: str,
        limit: str | None = None,
        cursor: str | None = None,
    ) -> Response:
        """The session's runs, newest first."""
        caller = await caller_of(request, self._services.identities)
        page = await self._services.runs.of_session(
            caller, path_id(caller, "session", session_id), read_page(limit, cursor)
        )
        return json_answer(run_page(page, self._show))

    async def cancel(self, request: Request, session_id: str) -> Response:
        """Stop the session's active run; `run` is null where there was none."""
        caller = await caller_of(request, self._services.identities)
        run = await self._services.runs.cancel_session(
            caller, path_id(caller, "session", session_id)
        )
        return json_answer(Stopped(run=None if run is None else run_view(run, self._show)))
