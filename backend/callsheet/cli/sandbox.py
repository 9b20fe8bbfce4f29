"""`callsheet sandbox ...`: the image that Python programs run in."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.markup import escape

from callsheet.cli.console import ERR, OUT, note
from callsheet.cli.deployment import read_deployment
from callsheet.cli.sandbox_programs import run_program, warm_up
from callsheet.kit.errors import BadInput, SetupError
from callsheet.tools.sandbox.image.build import Way, Wish, build_image
from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.dockerfile_way import BASE
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.image.workshop import Workshop
from callsheet.tools.sandbox.sandbox_file import FILE, load_sandbox

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Build the image that Python programs run in, and try it.",
)

_WAYS: Final[tuple[Way, ...]] = ("auto", "dockerfile", "packages")
_MB: Final = 1_000_000
_INTERRUPTED: Final = 130


@app.callback()
def _root() -> None:
    """Only commands do anything."""


@app.command()
def build(
    *,
    way: Annotated[
        str,
        typer.Option(
            "--way",
            help="dockerfile: from python:3.12-slim, with a registry. packages: from Debian "
            "packages and wheels, as root on a Debian host. auto: the first that works.",
        ),
    ] = "auto",
    base: Annotated[
        str, typer.Option("--base", help="Image to begin with, for instance of a mirror.")
    ] = BASE,
    index: Annotated[
        str, typer.Option("--index", help="Package index that the Dockerfile's build asks.")
    ] = "",
    again: Annotated[bool, typer.Option("--again", help="Also where it is there already.")] = False,
) -> None:
    """Build the image, step by step; do nothing where it is there. Takes one to three minutes."""
    chosen = next((each for each in _WAYS if each == way), None)
    if chosen is None:
        raise SetupError(f"--way is one of {', '.join(_WAYS)}, not {way!r}.")
    deployment = read_deployment()
    began = time.monotonic()

    def tell(step: str) -> None:
        passed = time.monotonic() - began
        ERR.print(f"[dim]{passed:6.1f} s[/dim]  {escape(step)}", soft_wrap=True)

    recipe, wish = load_recipe(), Wish(chosen, base, index, again)
    folder = deployment.folders.data / "sandbox-image"
    with engine_client(deployment.settings.sandbox.docker_host) as client:
        built = build_image(client, recipe, folder, wish, Workshop(tell))
    OUT.print(built.image, soft_wrap=True, markup=False)
    size = f"{built.size_bytes / _MB:.0f} MB"
    if built.is_new:
        note(f"built in {time.monotonic() - began:.0f} s: {size}")
    else:
        note(f"It is there already: {size}. --again builds it anew.")


@app.command()
def warm(
    *,
    size: Annotated[
        int | None, typer.Option("--size", min=1, max=64, help="Containers; else as configured.")
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, max=200, help="How often each program is run.")
    ] = 5,
) -> None:
    """Fill a pool of containers, time a few programs in it, and remove it again."""
    deployment = read_deployment()
    options = load_sandbox(deployment.folders.config / FILE)
    if size is not None:
        options = replace(options, pool=replace(options.pool, size=size))
    with ERR.status("filling the pool"):
        warmth = asyncio.run(warm_up(deployment.settings, options, rounds))
    for line in warmth.lines():
        OUT.print(line, soft_wrap=True, markup=False)


@app.command()
def run(
    file: Annotated[str, typer.Argument(help="A Python file, or - for standard input.")],
    *,
    timeout_s: Annotated[
        float | None, typer.Option("--timeout", min=1, help="Seconds; else as configured.")
    ] = None,
    files: Annotated[
        Path | None, typer.Option("--files", help="Folder for the files that the program leaves.")
    ] = None,
) -> None:
    """Run a program as agents' programs are run. Ends with its status; 124 where its time is over,
    137 where it was killed.
    """
    code = _text_of(file)
    deployment = read_deployment()
    options = load_sandbox(deployment.folders.config / FILE)
    try:
        work = run_program(deployment.settings, options, code, timeout_s, files)
        status = asyncio.run(work)
    except asyncio.CancelledError:
        status = _INTERRUPTED
    raise typer.Exit(status)


def _text_of(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is no UTF-8 text.") from error
