"""The image from `sandbox/Dockerfile`, for where an image registry can be reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from callsheet.kit.errors import SetupError
from callsheet.tools.sandbox.image.recipe import Recipe
from callsheet.tools.sandbox.image.workshop import Workshop

if TYPE_CHECKING:
    from docker import APIClient

BASE: Final = "python:3.12-slim"
_LONGEST_LINE: Final = 120


def fetch_base(client: APIClient, base: str, shop: Workshop) -> None:
    """Have the base image there; SetupError where no registry gives it."""
    from docker.errors import DockerException, ImageNotFound  # noqa: PLC0415 - its import is slow
    from requests.exceptions import RequestException  # noqa: PLC0415

    try:
        client.inspect_image(base)  # type: ignore[no-untyped-call]
    except ImageNotFound:
        shop.tell(f"fetching {base}")
    else:
        return
    name, _, tag = base.rpartition(":")
    try:
        _follow(
            client.pull(name or base, tag=tag if name else "latest", stream=True, decode=True), shop
        )
    except (DockerException, RequestException, SetupError) as error:
        raise SetupError(f"{base} cannot be fetched: {_first_line(error)}") from error


def build(client: APIClient, recipe: Recipe, arguments: Mapping[str, str], shop: Workshop) -> None:
    """Build it with the engine's own builder. Blocks; raises SetupError."""
    lines = client.build(
        path=str(recipe.folder),
        tag=recipe.image,
        buildargs=dict(arguments),
        labels={"callsheet.sandbox.image": recipe.tag},
        rm=True,
        forcerm=True,
        decode=True,
    )
    _follow(lines, shop)


def _follow(lines: Iterable[Any], shop: Workshop) -> None:
    """Tell the steps; SetupError with the engine's own words where it gives up."""
    for line in lines:
        shop.check()
        if "error" in line:
            raise SetupError(str(line["error"]).strip())
        text = str(line.get("stream", "")).strip()
        if text.startswith("Step "):
            shop.tell(text[:_LONGEST_LINE])


def _first_line(error: Exception) -> str:
    explained = getattr(error, "explanation", None) or str(error)
    return str(explained).strip().splitlines()[0][:300] if str(explained).strip() else "no reason"
