"""How much is kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArtifactOptions:
    """The most of one file, and of all files of one session together."""

    file_bytes: int = 20_971_520
    session_bytes: int = 209_715_200
    session_count: int = 500
