"""`callsheet sandbox ...`: the image that Python programs run in."""

from __future__ import annotations

import time
from typing import Annotated, Final

import typer
from rich.markup import escape

from callsheet.cli.console import ERR, OUT, note
from callsheet.cli.deployment import read_deployment
from callsheet.kit.errors import SetupError
from callsheet.tools.sandbox.image.build import Way, Wish, build_image
from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.dockerfile_way import BASE
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.image.workshop import Workshop

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Build the image that Python programs run in, and try it.",
)

_WAYS: Final[tuple[Way, ...]] = ("auto", "dockerfile", "packages")
_MB: Final = 1_000_000


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
