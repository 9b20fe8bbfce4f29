"""What stands on the engine for a process of the product."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from callsheet.tools.sandbox.container import OWNER_LABEL
from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.recipe import load_recipe

if TYPE_CHECKING:
    from docker import APIClient


def containers_of(client: APIClient, pid: int) -> list[dict[str, Any]]:
    """Every container of the process, the ended ones too."""
    found: list[dict[str, Any]] = client.containers(all=True, filters={"label": OWNER_LABEL})
    return [each for each in found if f"/{pid}/" in each["Labels"][OWNER_LABEL]]


async def until_gone(client: APIClient, pid: int) -> None:
    """Return when the process has no container any more."""
    async with asyncio.timeout(60):
        while await asyncio.to_thread(containers_of, client, pid):
            await asyncio.sleep(0.1)


@contextmanager
def standing(client: APIClient, owner: str) -> Iterator[str]:
    """A container that runs and is said to be of `owner`, until the block ends; its id."""
    made: str = client.create_container(
        load_recipe().image, ["sleep", "300"], labels={OWNER_LABEL: owner}, network_disabled=True
    )["Id"]
    client.start(made)
    try:
        yield made
    finally:
        if is_there(client, made):
            client.remove_container(made, force=True, v=True)


def is_there(client: APIClient, container: str) -> bool:
    """Whether the engine still has it."""
    found = client.containers(all=True, filters={"id": container})
    return bool(found)


__all__ = ["containers_of", "engine_client", "is_there", "standing", "until_gone"]
