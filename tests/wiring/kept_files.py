"""A run that keeps files, and everything around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from callsheet.artifacts.folder import ArtifactFolder
from callsheet.artifacts.options import ArtifactOptions
from callsheet.db.transaction import Database
from callsheet.journal.changes import RunKeys
from callsheet.kit.deadline import Deadline
from callsheet.tools.context import ToolContext
from callsheet.tools.tell import Untold
from callsheet.wiring.artifact_sweep import ArtifactSweep
from callsheet.wiring.artifacts import ArtifactService
from callsheet.wiring.core import Core
from callsheet.wiring.kept_artifacts import KeptArtifacts
from tests.fakes.clock import HandClock
from tests.journal.stage import admitted

LIMITS = ArtifactOptions(file_bytes=100, session_bytes=150, session_count=3)


@dataclass
class Heard(Untold):
    shown: list[tuple[str, UUID, Mapping[str, Any]]] = field(default_factory=list)

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        self.shown.append((activity, message_id, content))


@dataclass
class Place:
    database: Database
    folder: ArtifactFolder
    keys: RunKeys
    clock: HandClock = field(default_factory=HandClock)

    @property
    def tools(self) -> KeptArtifacts:
        return KeptArtifacts(lambda: self.database, self.folder.path.parent, LIMITS)

    @property
    def service(self) -> ArtifactService:
        return ArtifactService(lambda: cast(Core, self), self.folder.path.parent)

    @property
    def sweep(self) -> ArtifactSweep:
        return ArtifactSweep(self.database, self.folder, self.clock)

    def call(self, id_: str = "call-1", tell: Untold | None = None) -> ToolContext:
        return ToolContext(
            user_id=self.keys.user_id,
            session_id=self.keys.session_id,
            run_id=self.keys.run_id,
            tool_call_id=id_,
            agent="worker",
            deadline=Deadline.after(30),
            clock=self.clock,
            tell=tell or Untold(),
        )

    def on_disk(self) -> list[bytes]:
        files = (path for path in self.folder.path.rglob("*") if path.is_file())
        return sorted(path.read_bytes() for path in files)


async def a_place(database: Database, tmp_path: Path) -> Place:
    """A run under way, and an empty data folder."""
    keys = (await admitted(database)).keys
    return Place(database, ArtifactFolder(tmp_path / "data"), keys)
