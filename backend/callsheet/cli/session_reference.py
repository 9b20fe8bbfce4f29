"""How a session is named on the command line."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Read
from callsheet.kit.errors import NotFound
from callsheet.kit.ids import resolve_id
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.store import find_session, recent_session

RECENT: Final = "recent"


async def find_named(tx: Read, principal: Principal, name: str) -> SessionRecord:
    """The user's session: an id, a client's own name for it, or `recent`. Raises NotFound."""
    if name == RECENT:
        found = await recent_session(tx, principal.user_id)
    else:
        found = await find_session(tx, session_id_of(principal, name), principal.user_id)
    if found is None:
        raise NotFound(f"{principal.name} has no session {name!r}; see `callsheet sessions list`.")
    return found


def session_id_of(principal: Principal, name: str) -> UUID:
    """The id behind a name, whether there is such a session or not."""
    return resolve_id(name, principal.user_id, "session")
