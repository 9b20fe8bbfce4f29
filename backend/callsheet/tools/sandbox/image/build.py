"""Has the sandbox's image built: once at a time on a machine, by the way that works there."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal

from callsheet.kit.errors import SetupError
from callsheet.tools.sandbox.image import dockerfile_way, packages_way
from callsheet.tools.sandbox.image.recipe import Recipe
from callsheet.tools.sandbox.image.workshop import Workshop

if TYPE_CHECKING:
    from docker import APIClient

Way = Literal["auto", "dockerfile", "packages"]
COMMAND: Final = "callsheet sandbox build"


@dataclass(frozen=True, slots=True)
class Wish:
    """How to build. `base`, `index`: an image and a package index other than the public ones.

    `again`: also where the image is there already.
    """

    way: Way = "auto"
    base: str = dockerfile_way.BASE
    index: str = ""
    again: bool = False
    arguments: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Put together what the Dockerfile is given."""
        given = {"BASE": self.base, "PIP_INDEX_URL": self.index}
        object.__setattr__(self, "arguments", {name: each for name, each in given.items() if each})


@dataclass(frozen=True, slots=True)
class Built:
    """The image that is there now; `is_new`: this call has made it."""

    image: str
    size_bytes: int
    is_new: bool


def build_image(
    client: APIClient, recipe: Recipe, folder: Path, wish: Wish, shop: Workshop
) -> Built:
    """Have the recipe's image on the engine. Blocks for minutes; the client should not time out.

    `folder` is made, and holds the files while they are put together. Raises SetupError with what
    stands in the way, Unavailable where the workshop is told to stop.
    """
    with _alone(folder, shop) as work:
        size = size_of(client, recipe.image)
        if size is not None and not wish.again:
            return Built(recipe.image, size, is_new=False)
        _build(client, recipe, work, wish, shop)
        size = size_of(client, recipe.image)
    if size is None:
        raise SetupError(f"The engine says that it built {recipe.image}, but does not have it.")
    return Built(recipe.image, size, is_new=True)


def size_of(client: APIClient, image: str) -> int | None:
    """The image's bytes, None where the engine does not have it."""
    from docker.errors import ImageNotFound  # noqa: PLC0415 - its import is slow

    try:
        found = client.inspect_image(image)  # type: ignore[no-untyped-call]
    except ImageNotFound:
        return None
    return int(found["Size"])


def _build(client: APIClient, recipe: Recipe, work: Path, wish: Wish, shop: Workshop) -> None:
    if wish.way == "packages":
        packages_way.build(client, recipe, work, shop)
        return
    try:
        dockerfile_way.fetch_base(client, wish.base, shop)
    except SetupError as no_registry:
        missing = packages_way.lacks()
        if wish.way == "dockerfile":
            raise
        if missing:
            raise SetupError(
                f"{no_registry}. The other way, from Debian packages, is closed too: {missing}."
            ) from no_registry
        shop.tell("no image registry answers: from Debian packages instead")
        packages_way.build(client, recipe, work, shop)
        return
    dockerfile_way.build(client, recipe, wish.arguments, shop)


@contextmanager
def _alone(folder: Path, shop: Workshop) -> Iterator[Path]:
    """An empty folder to work in, with nobody else of this deployment building."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        if not _held(lock):
            shop.tell("waiting for another process that builds it")
            while not _held(lock):
                shop.wait()
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)  # of a build that was killed
        work.mkdir(mode=0o755)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _held(lock: IO[str]) -> bool:
    """Whether the lock is ours now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
