"""Removes containers whose process was killed.

A container ends by itself when its process does: the engine closes the stream that its runner
reads. This is for what has gone wrong there too, such as an engine that was killed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from callsheet.tools.sandbox.owner import is_gone

if TYPE_CHECKING:
    from docker import APIClient

_GOING: Final = 409
"""The engine's answer where a container is being removed already."""


def remove_left_behind(
    client: APIClient, label: str, is_gone: Callable[[str], bool] = is_gone
) -> int:
    """Remove the containers whose `label` names an owner that is gone; how many. Blocks.

    Those of live processes, of whatever deployment, and those that nothing is known of are left.
    """
    found: list[dict[str, Any]] = client.containers(all=True, filters={"label": label})
    left = [each["Id"] for each in found if is_gone(each["Labels"].get(label, ""))]
    return sum(_remove(client, container) for container in left)


def _remove(client: APIClient, container: str) -> bool:
    from docker.errors import APIError, NotFound  # noqa: PLC0415 - its import is slow

    try:
        client.remove_container(container, force=True, v=True)
    except NotFound:
        return False
    except APIError as error:
        if error.status_code != _GOING:
            raise
        return False
    return True
