"""Files that tools made, as the tools keep them."""

from __future__ import annotations

import asyncio
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Self
from uuid import UUID

from callsheet.agui.artifact_activity import ARTIFACT, artifact_content
from callsheet.artifacts.artifact import ArtifactRecord, NewArtifact
from callsheet.artifacts.folder import ArtifactFolder
from callsheet.artifacts.media_type import media_type_of
from callsheet.artifacts.name import clean_name
from callsheet.artifacts.options import ArtifactOptions
from callsheet.artifacts.store import (
    add_artifact,
    find_in_session,
    find_same,
    kept_of,
    lock_for,
)
from callsheet.db.transaction import Database, Tx
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id, parse_uuid
from callsheet.kit.log import get_log
from callsheet.settings.folders import folders_of
from callsheet.settings.settings import Settings
from callsheet.tools.artifact import Artifact, NotKept, Read
from callsheet.tools.context import ToolContext

_log = get_log(__name__)


class KeptArtifacts:
    """Implements `tools.artifact.Artifacts` on the database and the data folder."""

    def __init__(
        self, database: Callable[[], Database], data: Path, options: ArtifactOptions
    ) -> None:
        """`data` is the deployment's data folder."""
        self._database = database
        self._folder = ArtifactFolder(data)
        self._options = options

    @classmethod
    def of(cls, settings: Settings, database: Callable[[], Database]) -> Self:
        """Those of a deployment; nothing is made or read yet."""
        most = settings.artifacts
        options = ArtifactOptions(most.file_bytes, most.session_bytes, most.session_count)
        return cls(database, folders_of(settings).data, options)

    async def keep(
        self, ctx: ToolContext, name: str, data: bytes, media_type: str = ""
    ) -> Artifact:
        """Write the bytes, then the row, then show it: what is shown is stored."""
        if len(data) > self._options.file_bytes:
            raise NotKept(
                f"The file {clean_name(name)!r} has {len(data)} bytes; at most "
                f"{self._options.file_bytes} are kept. Make it smaller."
            )
        database = self._database()
        new = await asyncio.to_thread(self._written, ctx, name, data, media_type)
        kept: ArtifactRecord | None = None
        try:
            async with database.transaction() as tx:
                kept = await self._stored(tx, new)
        except BaseException:
            if kept is None:  # else nobody knows whether it is stored: the sweep will
                await asyncio.to_thread(self._folder.remove, new.id)
            raise
        await asyncio.to_thread(self._finished, new.id, is_new=kept.id == new.id)
        ctx.tell.show(ARTIFACT, kept.id, artifact_content(kept))
        return Artifact(kept.id, kept.name, kept.media_type, kept.size_bytes)

    async def find(self, ctx: ToolContext, reference: str) -> tuple[Artifact, Read] | None:
        """As the protocol says; nothing of another session is found, whoever's it is."""
        async with self._database().read() as tx:
            found = await find_in_session(
                tx,
                ctx.session_id,
                ctx.user_id,
                id_=parse_uuid(reference),
                name=clean_name(reference),
            )
        if found is None:
            return None
        artifact = Artifact(found.id, found.name, found.media_type, found.size_bytes)
        return artifact, functools.partial(asyncio.to_thread, self._bytes_of, found.id)

    def _bytes_of(self, artifact_id: UUID) -> bytes | None:
        try:
            place = self._folder.find(artifact_id)
            return None if place is None else place.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.exception("artifact_not_read", artifact_id=str(artifact_id))
            raise Unavailable("The data folder cannot be read.", service="storage") from error

    def _written(self, ctx: ToolContext, name: str, data: bytes, claimed: str) -> NewArtifact:
        artifact_id, named = new_id(), clean_name(name)
        try:
            self._folder.write(artifact_id, data)
        except OSError as error:
            _log.exception("artifact_not_written", folder=str(self._folder.path))
            raise Unavailable("The data folder cannot be written to.", service="storage") from error
        return NewArtifact(
            id=artifact_id,
            session_id=ctx.session_id,
            user_id=ctx.user_id,
            run_id=ctx.run_id,
            tool_call_id=ctx.tool_call_id,
            name=named,
            media_type=media_type_of(named, data, claimed),
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
        )

    def _finished(self, artifact_id: UUID, *, is_new: bool) -> None:
        """Give the file its place, or remove what is there already."""
        try:
            (self._folder.settle if is_new else self._folder.remove)(artifact_id)
        except OSError:  # it is found where it waits, until the sweep gets it done
            _log.exception("artifact_not_settled", artifact_id=str(artifact_id))

    async def _stored(self, tx: Tx, new: NewArtifact) -> ArtifactRecord:
        """The row of it: its own, or that of the same file from before."""
        if not await lock_for(tx, new):
            raise NotKept("No run of this session is under way; nothing is kept for it.")
        same = await find_same(tx, new)
        if same is not None:
            return same
        kept, most = await kept_of(tx, new.session_id), self._options
        if kept.count >= most.session_count:
            raise NotKept(f"The session has {kept.count} files already, and may have no more.")
        if kept.size_bytes + new.size_bytes > most.session_bytes:
            raise NotKept(
                f"The session's files have {kept.size_bytes} bytes already; with the "
                f"{new.size_bytes} of {new.name!r} it would be more than {most.session_bytes}."
            )
        return await add_artifact(tx, new)
