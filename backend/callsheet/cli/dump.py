"""A dump of the whole database to a file and back, with progress."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.progress import (
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from callsheet.cli.console import ERR
from callsheet.cli.postgres_programs import address, program
from callsheet.kit.errors import SetupError

_LOOK_EVERY_S: Final = 0.1


def dump(url: str, target: Path) -> int:
    """Write the database to `target` in pg_dump's custom format; its size in bytes.

    It is written beside and renamed, so that `target` is whole or not there.
    """
    unfinished = target.with_name(f"{target.name}.unfinished")
    _make_private(unfinished)
    try:
        with address(url) as dbname:
            command = [program("pg_dump"), f"--dbname={dbname}", "--format=custom"]
            _watch([*command, f"--file={unfinished}"], "backing up", unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return target.stat().st_size


def _make_private(path: Path) -> None:
    """An empty file that only we can read; never one, or a link, that somebody put there."""
    path.unlink(missing_ok=True)
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}.") from error


def restore(url: str, source: Path) -> None:
    """Replace the database's tables by those of a dump, all or nothing."""
    with address(url) as dbname:
        command = [program("pg_restore"), f"--dbname={dbname}", "--clean", "--if-exists"]
        command += ["--no-owner", "--no-privileges", "--single-transaction", str(source)]
        _watch(command, "restoring", None)


def _watch(command: Sequence[str], what: str, growing: Path | None) -> None:
    """Run it to its end, showing the time and the size of the file that grows."""
    columns = [SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()]
    if growing is not None:
        columns.append(DownloadColumn())
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        Progress(*columns, console=ERR, transient=True) as progress,
        subprocess.Popen(command, stdout=errors, stderr=errors) as process,  # noqa: S603 (no shell)
    ):
        task = progress.add_task(what, total=None)
        try:
            while _runs(process):
                if growing is not None:
                    progress.update(task, completed=growing.stat().st_size)
        except BaseException:
            process.terminate()
            raise
        errors.seek(0)
        said = errors.read().strip().splitlines() or ["it gave no reason"]
    if process.returncode != 0:
        raise SetupError(f"{what} failed: {said[-1]}")


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Wait a moment for its end."""
    try:
        process.wait(_LOOK_EVERY_S)
    except subprocess.TimeoutExpired:
        return True
    return False
