"""The image from Debian packages and wheels, for where no image registry can be reached."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from callsheet.kit.errors import SetupError
from callsheet.tools.sandbox.image.recipe import REPOSITORY, Recipe
from callsheet.tools.sandbox.image.tree import make_tree
from callsheet.tools.sandbox.image.workshop import Workshop

if TYPE_CHECKING:
    from docker import APIClient

_CHUNK_BYTES: Final = 1 << 20


def lacks() -> str | None:
    """What this machine lacks for it, in one line; None where it can be done."""
    if os.name != "posix" or os.geteuid() != 0:
        return "it needs root (unpacking packages with their owners)"
    if shutil.which("mmdebstrap") is None:
        return "it needs mmdebstrap (apt-get install mmdebstrap)"
    if _pip() is None:
        return "it needs pip (apt-get install python3-pip)"
    if not _suite():
        return "it needs a Debian or Ubuntu host"
    return None


def build(client: APIClient, recipe: Recipe, work: Path, shop: Workshop) -> None:
    """Make the tree inside `work`, an existing folder, and import it. Blocks; raises SetupError."""
    pip, missing = _pip(), lacks()
    if missing or pip is None:
        raise SetupError(f"The image cannot be put together from packages here: {missing}.")
    root = make_tree(work, _suite(), recipe.lock, pip, shop)
    shop.tell("importing the image")
    changes = [*recipe.changes, f"LABEL callsheet.sandbox.image={recipe.tag}"]
    with subprocess.Popen(  # noqa: S603 - our own words, no shell
        ["tar", "-C", str(root), "--numeric-owner", "-c", "."],  # noqa: S607 - the host's tar
        stdout=subprocess.PIPE,
    ) as tar:
        answer = client.import_image_from_stream(
            _chunks(tar, shop), repository=REPOSITORY, tag=recipe.tag, changes=changes
        )
    if tar.returncode != 0 or '"error"' in answer:
        raise SetupError(f"The engine did not take the image: {answer.strip()[-300:]}")


def _chunks(tar: subprocess.Popen[bytes], shop: Workshop) -> Iterator[bytes]:
    assert tar.stdout is not None  # noqa: S101 - for the type checker: it is a pipe
    while chunk := tar.stdout.read(_CHUNK_BYTES):
        shop.check()
        yield chunk


def _suite() -> str:
    """This machine's release, whose packages apt can have; empty where it is none of Debian's."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ""
    family = {release.get("ID", ""), *release.get("ID_LIKE", "").split()}
    return release.get("VERSION_CODENAME", "") if "debian" in family else ""


def _pip() -> Path | None:
    """A Python that has pip: this one, else the machine's."""
    if importlib.util.find_spec("pip") is not None:
        return Path(sys.executable)
    found = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    if found is None:
        return None
    asked = subprocess.run([found, "-m", "pip", "--version"], capture_output=True, check=False)  # noqa: S603
    return Path(found) if asked.returncode == 0 else None
