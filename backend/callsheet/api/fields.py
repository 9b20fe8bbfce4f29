"""The bodies that callers send, apart from AG-UI's own."""

from __future__ import annotations

import msgspec


class NewSession(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of a create. `id` is the client's own name for it (AG-UI's threadId)."""

    id: str | None = None
    title: str | None = None


class SessionEdit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of an edit."""

    title: str
