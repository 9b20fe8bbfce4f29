"""The JSON documents of artifacts."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from callsheet.api.documents import Document
from callsheet.artifacts.artifact import ArtifactRecord
from callsheet.kit.pages import Page


class Artifact(Document, frozen=True, kw_only=True):
    """A file that a tool made; `url` is where its owner gets the bytes, on this server."""

    id: UUID
    session_id: UUID
    run_id: UUID
    tool_call_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    url: str
    created_at: datetime


class ArtifactPage(Document, frozen=True, kw_only=True):
    """Some artifacts in list order."""

    items: list[Artifact]
    next_cursor: str | None


def artifact_page(page: Page[ArtifactRecord]) -> ArtifactPage:
    """A page of artifacts."""
    return ArtifactPage(items=[_view(each) for each in page.items], next_cursor=page.next_cursor)


def _view(record: ArtifactRecord) -> Artifact:
    return Artifact(
        id=record.id,
        session_id=record.session_id,
        run_id=record.run_id,
        tool_call_id=record.tool_call_id,
        name=record.name,
        media_type=record.media_type,
        size_bytes=record.size_bytes,
        sha256=record.sha256,
        url=record.url,
        created_at=record.created_at,
    )
