"""What the routes of artifacts need from the service behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol
from uuid import UUID

from callsheet.artifacts.artifact import ArtifactRecord
from callsheet.auth.principal import Principal
from callsheet.kit.pages import Page, PageRequest


class Artifacts(Protocol):
    """Files that tools made. Another user's is NotFound."""

    async def of_session(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[ArtifactRecord]:
        """Those of one session, newest first."""
        ...

    async def find(self, principal: Principal, artifact_id: UUID) -> tuple[ArtifactRecord, Path]:
        """One and where its bytes lie; Unavailable where they are not here."""
        ...
