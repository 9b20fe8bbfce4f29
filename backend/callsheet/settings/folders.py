"""Which folders a deployment uses, from its settings and the folder it is started in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from callsheet.kit.errors import SetupError
from callsheet.kit.places import default_data_dir, shipped
from callsheet.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Folders:
    """Absolute paths. Only `data` is written to, and need not exist yet."""

    data: Path
    config: Path
    crews: Path


def folders_of(settings: Settings, *, start: Path | None = None) -> Folders:
    """The folders; `start` is the working folder.

    Raises SetupError where a folder that was named is not there.
    """
    here = (start or Path.cwd()).resolve()
    data = settings.data_dir or default_data_dir(uid=os.getuid(), home=Path.home())
    return Folders(
        data=(here / data.expanduser()).resolve(),
        config=_choose(here, settings.config_dir, "config", "llm_catalog.yaml"),
        crews=_choose(here, settings.crews_dir, "crews", "*/workflow.yaml"),
    )


def _choose(here: Path, named: Path | None, name: str, mark: str) -> Path:
    if named is not None:
        folder = (here / named.expanduser()).resolve()
        if not folder.is_dir():
            raise SetupError(
                f"CALLSHEET_{name.upper()}_DIR names {folder}, which is no folder; "
                f"`callsheet init` makes one, or unset it for what ships with Callsheet."
            )
        return folder
    local = here / name
    return local if any(local.glob(mark)) else shipped(name)
