"""The bodies that callers send, apart from AG-UI's own."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from callsheet.sessions.settings import SessionMode

SessionBudget = Annotated[str, msgspec.Meta(pattern=r"^\d{1,6}(\.\d{1,6})?$")]


class NewSession(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of a create. `id` is the client's own name for it (AG-UI's threadId)."""

    id: str | None = None
    title: str | None = None


class SessionEdit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of an edit: what is left out stays, null takes away what is set.

    `persona` is the user's wish how the answers should be, `budget` the most that the session may
    cost.
    """

    title: str | msgspec.UnsetType | None = msgspec.UNSET
    pinned: bool | msgspec.UnsetType | None = msgspec.UNSET
    mode: SessionMode | msgspec.UnsetType | None = msgspec.UNSET
    persona: str | msgspec.UnsetType | None = msgspec.UNSET
    budget: SessionBudget | msgspec.UnsetType | None = msgspec.UNSET


class Continuation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Body of a continuation; all of it may be left out.

    `run_id` is the client's own name for the new run: the same again shows the same run.
    """

    run_id: str | None = None
    protocol_version: str | None = None
    state: Any = None
