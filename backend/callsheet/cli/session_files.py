"""`callsheet sessions files`: what tools made in a session."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from callsheet.artifacts.artifact import ArtifactRecord
from callsheet.artifacts.folder import ArtifactFolder
from callsheet.artifacts.store import list_artifacts
from callsheet.auth.local import LOCAL_USER
from callsheet.auth.principal import principal_named
from callsheet.cli.console import OUT, note
from callsheet.cli.database import open_database
from callsheet.cli.deployment import read_deployment
from callsheet.cli.session_reference import find_named
from callsheet.cli.table import text_table
from callsheet.kit.errors import Conflict, Unavailable
from callsheet.kit.pages import LARGEST_PAGE, PageRequest
from callsheet.kit.text import printable


def files(
    session: Annotated[
        str, typer.Argument(help="An id, a client's own name, or `recent`.")
    ] = "recent",
    *,
    user: Annotated[str, typer.Option("--user", help="Whose.")] = LOCAL_USER,
    save: Annotated[
        Path | None, typer.Option("--save", help="Also write them into this folder.")
    ] = None,
) -> None:
    """List the files that tools made in a session, newest first."""
    found = asyncio.run(_read(user, session))
    rows = [
        (each.id, printable(each.name), each.media_type, f"{each.size_bytes:,}") for each in found
    ]
    OUT.print(text_table(("id", "name", "kind", "bytes"), rows), soft_wrap=True, markup=False)
    if save is not None:
        folder = ArtifactFolder(read_deployment().folders.data)
        for each, name in zip(found, _names(found), strict=True):
            note(f"wrote {printable(str(_write(folder, each, save / name)))}")


async def _read(user: str, session: str) -> list[ArtifactRecord]:
    found: list[ArtifactRecord] = []
    async with open_database() as database, database.read() as tx:
        record = await find_named(tx, principal_named(user), session)
        cursor: str | None = None
        while True:
            page = await list_artifacts(tx, record.id, PageRequest(LARGEST_PAGE, cursor))
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found


def _names(records: Sequence[ArtifactRecord]) -> list[str]:
    """Where each is written: the newest of a name under it, older ones with their ids behind it."""
    names: list[str] = []
    for each in records:
        path = PurePosixPath(each.name)
        older = str(path.with_stem(f"{path.stem}-{each.id}"))
        names.append(older if each.name in names else each.name)
    return names


def _write(folder: ArtifactFolder, record: ArtifactRecord, target: Path) -> Path:
    """The parts of its name are folders; nothing that is there is written over."""
    source = folder.find(record.id)
    if source is None:
        raise Unavailable(f"The file {record.name!r} is not in {folder.path}.", service="storage")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(source.read_bytes())
    except (FileExistsError, NotADirectoryError) as error:
        raise Conflict(f"{target} is there already.") from error
    return target
