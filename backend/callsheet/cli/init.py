"""`callsheet init`: what ships with the product, as files to edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from callsheet.cli.console import OUT, note
from callsheet.kit.errors import SetupError
from callsheet.kit.places import shipped
from callsheet.settings.reference import env_example

app = typer.Typer(add_completion=False)


@app.command()
def init(
    folder: Annotated[
        Path, typer.Argument(help="Where to write; made if it is not there.")
    ] = Path(),
    *,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that are there already, but never .env."),
    ] = False,
) -> None:
    """Write config/, crews/ and .env into a folder. Commands started there use them."""
    planned = list(_planned())
    there = [target for target, _ in planned if (folder / target).exists()]
    if there and not force:
        listed = "\n".join(f"  {folder / path}" for path in there)
        raise SetupError(
            f"Nothing was written, because these are there already:\n{listed}\n"
            "`callsheet init --force` overwrites them; or name another folder."
        )
    for target, source in planned:
        _write(folder / target, source.read_bytes())
    if (folder / ".env").exists():
        note(f"{folder / '.env'} is kept as it is.")
    else:
        _write(folder / ".env", env_example().encode(), mode=0o600)
    note(f"Start it with `callsheet serve` in {folder.resolve()}.")


def _planned() -> Iterator[tuple[Path, Path]]:
    """Every file that ships, as (where it goes, where it is)."""
    for name in ("config", "crews"):
        source = shipped(name)
        for file in sorted(source.rglob("*")):
            inside = file.relative_to(source)
            if file.is_file() and not any(part.startswith((".", "__")) for part in inside.parts):
                yield name / inside, file


def _write(path: Path, content: bytes, mode: int = 0o644) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}.") from error
    OUT.print(f"wrote {path}", soft_wrap=True, markup=False)
