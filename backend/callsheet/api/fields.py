"""The bodies that callers send, apart from AG-UI's own."""

from __future__ import annotations

from typing import Any

import msgspec


class NewSession(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of a create. `id` is the client's own name for it (AG-UI's threadId)."""

    id: str | None = None
    title: str | None = None


class SessionEdit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of an edit."""

    title: str


class Continuation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Body of a continuation; all of it may be left out.

    `run_id` is the client's own name for the new run: the same again shows the same run.
    """

    run_id: str | None = None
    protocol_version: str | None = None
    state: Any = None
