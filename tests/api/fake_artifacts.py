"""Artifacts in memory, each with a real file."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from callsheet.artifacts.artifact import ArtifactRecord
from callsheet.auth.principal import Principal
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import Page, PageRequest
from tests.api.fake_records import FakeSessions, _cut


class FakeArtifacts:
    def __init__(self, sessions: FakeSessions) -> None:
        self._sessions = sessions
        self.all: dict[UUID, tuple[UUID, ArtifactRecord, Path]] = {}

    async def of_session(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[ArtifactRecord]:
        await self._sessions.get(principal, session_id)
        found = [record for _, record, _ in self.all.values() if record.session_id == session_id]
        return _cut(found, page)

    async def find(self, principal: Principal, artifact_id: UUID) -> tuple[ArtifactRecord, Path]:
        owner, record, path = self.all.get(artifact_id, (None, None, None))
        if owner != principal.user_id or record is None or path is None:
            raise NotFound("There is no such artifact.")
        return record, path
