"""What the sandbox's image is made from, and the name that follows from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callsheet.kit.places import shipped

REPOSITORY: Final = "callsheet-sandbox"
DOCKERFILE: Final = "Dockerfile"
LOCK: Final = "requirements.lock"
# What an import may take over from the Dockerfile; the rest of it is done by `tree`.
_TAKEN_OVER: Final = ("ENV", "USER", "WORKDIR", "CMD")
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Recipe:
    """`folder` holds the Dockerfile and the lock; `tag` is a digest of all that decides."""

    folder: Path
    dockerfile: str
    tag: str

    @property
    def image(self) -> str:
        """The image's whole name. Another recipe has another name, so none is taken for another."""
        return f"{REPOSITORY}:{self.tag}"

    @property
    def lock(self) -> Path:
        """The wheels of the image, pinned with hashes."""
        return self.folder / LOCK

    @property
    def changes(self) -> tuple[str, ...]:
        """The instructions of the Dockerfile that say how a container is run."""
        lines = self.dockerfile.splitlines()
        return tuple(line for line in lines if line.partition(" ")[0] in _TAKEN_OVER)


def load_recipe() -> Recipe:
    """The recipe that ships with this code. Reads a few small files."""
    folder = shipped("sandbox")
    way = Path(__file__).with_name("tree.py")
    digest = hashlib.sha256()
    for path in (folder / DOCKERFILE, folder / LOCK, way):
        content = path.read_bytes()
        digest.update(len(content).to_bytes(8, "big") + content)
    dockerfile = (folder / DOCKERFILE).read_text("utf-8")
    return Recipe(folder, dockerfile, digest.hexdigest()[:_DIGITS])
