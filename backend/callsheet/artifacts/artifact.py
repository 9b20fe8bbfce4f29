"""A file that a tool made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class NewArtifact:
    """One that is about to be stored; `sha256` is of its bytes, in hex."""

    id: UUID
    session_id: UUID
    user_id: UUID
    run_id: UUID
    tool_call_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """One row of `artifacts`. `name` is what the tool called it: data, never a place on disk."""

    id: UUID
    session_id: UUID
    run_id: UUID
    tool_call_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    created_at: datetime

    @property
    def url(self) -> str:
        """Where its owner gets the bytes, on this server."""
        return url_of(self.id)


def url_of(artifact_id: UUID) -> str:
    """Where the owner of an artifact gets its bytes, on this server."""
    return f"/v1/artifacts/{artifact_id}"
