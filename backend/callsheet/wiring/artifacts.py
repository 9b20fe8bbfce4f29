"""Files that tools made, for who they belong to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from callsheet.artifacts.artifact import ArtifactRecord
from callsheet.artifacts.folder import ArtifactFolder
from callsheet.artifacts.store import find_artifact, list_artifacts
from callsheet.auth.principal import Principal
from callsheet.kit.errors import NotFound, Unavailable
from callsheet.kit.log import get_log
from callsheet.kit.pages import Page, PageRequest
from callsheet.sessions.store import find_session
from callsheet.wiring.core import Core

_log = get_log(__name__)


class ArtifactService:
    """Artifacts of the user who asks; another's are not there."""

    def __init__(self, core: Callable[[], Core], data: Path) -> None:
        """`data` is the deployment's data folder."""
        self._core = core
        self._folder = ArtifactFolder(data)

    async def of_session(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[ArtifactRecord]:
        """Newest first; NotFound."""
        async with self._core().database.read() as tx:
            if await find_session(tx, session_id, principal.user_id) is None:
                raise NotFound("There is no such session.")
            return await list_artifacts(tx, session_id, page)

    async def find(self, principal: Principal, artifact_id: UUID) -> tuple[ArtifactRecord, Path]:
        """It and where it lies.

        Raises:
            NotFound: no such artifact of this user.
            Unavailable: its bytes are not in this process's data folder.
        """
        async with self._core().database.read() as tx:
            found = await find_artifact(tx, artifact_id, principal.user_id)
        if found is None:
            raise NotFound("There is no such artifact.")
        path = await asyncio.to_thread(self._folder.find, artifact_id)
        if path is None:
            _log.error(
                "artifact_not_here", artifact_id=str(artifact_id), path=str(self._folder.path)
            )
            raise Unavailable("The file is not in this server's data folder.", service="storage")
        return found, path
