"""Sessions and their messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from callsheet.agui.history import MOST_BYTES
from callsheet.artifacts.store import delete_of_session
from callsheet.auth.principal import Principal
from callsheet.auth.store import remember_user
from callsheet.db.transaction import Read
from callsheet.kit.errors import Conflict, NotFound
from callsheet.kit.ids import new_id
from callsheet.kit.pages import Page, PageRequest
from callsheet.runs.store import find_active, is_in_use
from callsheet.runs.waiting_store import waiting_run
from callsheet.sessions import message_store, store
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.settings import SessionChange
from callsheet.sessions.settings_store import change_session
from callsheet.sessions.shown import ShownMessage, shown_messages, streamed_messages
from callsheet.stream.connected import ConnectedSession
from callsheet.todos.store import find_list
from callsheet.wiring.core import Core
from callsheet.wiring.runs import RunService

_NO_SESSION = "There is no such session."
_DELETE_TRIES = 3
_MOST_SHOWN = 1_000


class SessionService:
    """Sessions of the user who asks; another's are not there."""

    def __init__(self, core: Callable[[], Core], runs: RunService) -> None:
        self._core = core
        self._runs = runs

    async def create(
        self, principal: Principal, session_id: UUID | None, title: str | None
    ) -> SessionRecord:
        """Make an empty session; the user's own of that id is returned as it is."""
        chosen = session_id or new_id()
        async with self._core().database.transaction() as tx:
            await remember_user(tx, principal)
            claimed = await store.claim_session(tx, chosen, principal.user_id)
            if claimed is None:
                raise NotFound(_NO_SESSION)
            if title is not None and claimed.title is None:
                await store.set_title(tx, chosen, title)
            return await self._find(tx, principal, chosen)

    async def list(
        self, principal: Principal, page: PageRequest, words: str | None = None
    ) -> Page[SessionRecord]:
        """Not deleted, pinned ones and then most recent activity first; those with the words."""
        async with self._core().database.read() as tx:
            return await store.list_sessions(tx, principal.user_id, page, words)

    async def recent(self, principal: Principal) -> SessionRecord | None:
        """The one with the most recent activity; None where the user has none."""
        async with self._core().database.read() as tx:
            return await store.recent_session(tx, principal.user_id)

    async def connect(self, principal: Principal, session_id: UUID) -> ConnectedSession:
        """What was said in the session, and its run that is under way or waits; NotFound."""
        core = self._core()
        async with core.database.read() as tx:
            session = await self._find(tx, principal, session_id)
            active = await find_active(tx, session_id)
            run_id = await waiting_run(tx, session_id) if active is None else active[0]
            messages = await shown_messages(tx, session_id, _MOST_SHOWN, MOST_BYTES, run_id)
            todo = await find_list(tx, session_id)
        if todo is not None and (todo.run_id == run_id or todo.status == "archived"):
            todo = None
        watched = None if run_id is None else await self._runs.watch(principal, run_id)
        return ConnectedSession(session, messages, watched, core.currency, todo)

    async def streamed(self, session_id: UUID, run_id: UUID) -> Sequence[ShownMessage]:
        """What a client holds that saw all runs of the session up to this one."""
        async with self._core().database.read() as tx:
            return await streamed_messages(tx, session_id, run_id, _MOST_SHOWN, MOST_BYTES)

    async def get(self, principal: Principal, session_id: UUID) -> SessionRecord:
        """The session; NotFound."""
        async with self._core().database.read() as tx:
            return await self._find(tx, principal, session_id)

    async def change(
        self, principal: Principal, session_id: UUID, change: SessionChange
    ) -> SessionRecord:
        """Change what the edit names; a run takes what is set when it is let in."""
        async with self._core().database.transaction() as tx:
            await change_session(tx, session_id, principal.user_id, change)
            return await self._find(tx, principal, session_id)

    async def delete(self, principal: Principal, session_id: UUID) -> None:
        """Stop its active run, then soft-delete it with its messages.

        Conflict where run after run begins in it meanwhile.
        """
        for _ in range(_DELETE_TRIES):
            await self._runs.cancel_session(principal, session_id)
            if await self._delete_idle(principal, session_id):
                return
        raise Conflict("Runs keep beginning in the session.", code="run_active")

    async def messages(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[MessageRecord]:
        """Not deleted, oldest first."""
        async with self._core().database.read() as tx:
            await self._find(tx, principal, session_id)
            return await message_store.list_messages(tx, session_id, page)

    async def delete_message(
        self, principal: Principal, session_id: UUID, message_id: UUID
    ) -> None:
        """Soft-delete one message; what it cost stays in the totals."""
        async with self._core().database.transaction() as tx:
            await self._find(tx, principal, session_id)
            if not await message_store.delete_message(tx, session_id, message_id):
                raise NotFound("There is no such message in this session.")

    async def _delete_idle(self, principal: Principal, session_id: UUID) -> bool:
        """Delete the session unless a run has got in since the last one was stopped."""
        async with self._core().database.transaction() as tx:
            if await store.claim_session(tx, session_id, principal.user_id) is None:
                raise NotFound(_NO_SESSION)
            if await is_in_use(tx, session_id):
                return False
            await delete_of_session(tx, session_id)
            return await store.delete_session(tx, session_id, principal.user_id)

    @staticmethod
    async def _find(tx: Read, principal: Principal, session_id: UUID) -> SessionRecord:
        session = await store.find_session(tx, session_id, principal.user_id)
        if session is None:
            raise NotFound(_NO_SESSION)
        return session
