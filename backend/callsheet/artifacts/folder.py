"""The bytes of artifacts on disk.

A file's place follows from its id alone: `artifacts/<two letters>/<id>`, never from its name. It is
written to `artifacts/incoming/<id>` first and moved to its place once its row is committed, so that
what a crash left behind is found by looking there, and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

from callsheet.kit.ids import parse_uuid

_INCOMING: Final = "incoming"
_PRIVATE: Final = 0o700


class ArtifactFolder:
    """Every method blocks: call them in a thread. The folder is made when it is first needed."""

    def __init__(self, data: Path) -> None:
        """`data` is the deployment's data folder."""
        self.path = data / "artifacts"
        self._incoming = self.path / _INCOMING

    def write(self, artifact_id: UUID, data: bytes) -> None:
        """Put the bytes into the waiting room; they are on the disk when this returns.

        OSError where the disk does not take them; nothing is left of them then.
        """
        for folder in (self.path, self._incoming):
            folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        path = self._incoming / str(artifact_id)
        with path.open("xb") as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                path.unlink(missing_ok=True)  # a full disk has no room for half a file
                raise
        _sync(self._incoming)

    def settle(self, artifact_id: UUID) -> None:
        """Move it to its place; nothing happens where it is there already."""
        place = self._place(artifact_id)
        place.parent.mkdir(mode=_PRIVATE, exist_ok=True)
        try:
            (self._incoming / str(artifact_id)).rename(place)
        except FileNotFoundError:
            return
        _sync(place.parent)

    def find(self, artifact_id: UUID) -> Path | None:
        """Where it lies; None where it is not here."""
        waiting, place = self._incoming / str(artifact_id), self._place(artifact_id)
        # It may be moved between two looks.
        return next((path for path in (place, waiting, place) if path.is_file()), None)

    def remove(self, artifact_id: UUID) -> None:
        """Remove it wherever it lies; one that is gone already is no error."""
        (self._incoming / str(artifact_id)).unlink(missing_ok=True)
        self._place(artifact_id).unlink(missing_ok=True)

    def left_waiting(self, before_s: float) -> list[UUID]:
        """What was written before that moment, in seconds of the epoch, and not moved since."""
        return list(self._old(before_s))

    def _place(self, artifact_id: UUID) -> Path:
        name = str(artifact_id)
        return self.path / name[-2:] / name  # the end of an id is random, its beginning is a time

    def _old(self, before_s: float) -> Iterator[UUID]:
        if not self._incoming.is_dir():
            return
        for file in self._incoming.iterdir():
            artifact_id = parse_uuid(file.name)
            try:
                is_old = file.stat().st_mtime < before_s
            except FileNotFoundError:
                continue
            if artifact_id is not None and is_old:
                yield artifact_id


def _sync(folder: Path) -> None:
    """Have the folder's list of names on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
