"""What the routers of sessions need from the services behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.kit.pages import Page, PageRequest
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.settings import SessionChange
from callsheet.sessions.shown import ShownMessage
from callsheet.stream.connected import ConnectedSession


class Sessions(Protocol):
    """Sessions and their messages. Another user's session is NotFound."""

    async def connect(self, principal: Principal, session_id: UUID) -> ConnectedSession:
        """What was said in it, and its run under way."""
        ...

    async def streamed(self, session_id: UUID, run_id: UUID) -> Sequence[ShownMessage]:
        """What a client holds that saw the session's runs up to this one; not whose it is."""
        ...

    async def create(
        self, principal: Principal, session_id: UUID | None, title: str | None
    ) -> SessionRecord:
        """Make an empty session; the user's own of that id is returned as it is."""
        ...

    async def list(
        self, principal: Principal, page: PageRequest, words: str | None = None
    ) -> Page[SessionRecord]:
        """Not deleted, pinned ones and then most recent activity first; those with the words."""
        ...

    async def recent(self, principal: Principal) -> SessionRecord | None:
        """The one with the most recent activity; None where the user has none."""
        ...

    async def get(self, principal: Principal, session_id: UUID) -> SessionRecord: ...

    async def change(
        self, principal: Principal, session_id: UUID, change: SessionChange
    ) -> SessionRecord:
        """Change what the edit names."""
        ...

    async def delete(self, principal: Principal, session_id: UUID) -> None:
        """Stop its active run, then soft-delete it with its messages."""
        ...

    async def messages(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[MessageRecord]:
        """Not deleted, oldest first."""
        ...

    async def delete_message(
        self, principal: Principal, session_id: UUID, message_id: UUID
    ) -> None: ...


class Titles(Protocol):
    """Has titles written."""

    async def write(self, principal: Principal, session_id: UUID) -> SessionRecord:
        """The session with the title that a model gave it.

        Raises:
            NotFound: no such session of this user.
            Conflict: `nothing_said`.
            Refused: rate, budget or price; Unavailable: the provider or the database.
        """
        ...
