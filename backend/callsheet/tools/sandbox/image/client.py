"""A connection to the engine that waits as long as a build takes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from callsheet.kit.errors import SetupError

if TYPE_CHECKING:
    from docker import APIClient

DEFAULT_HOST: Final = "unix:///var/run/docker.sock"
_SILENCE_S: Final = 600
_REACH_S: Final = 5.0
_PORT: Final = 2375


@contextmanager
def engine_client(host: str | None) -> Iterator[APIClient]:
    """The engine at `host`, None: where Docker puts its socket. Blocks.

    Raises SetupError in plain words where it cannot be reached, also in the middle of a build.
    """
    from docker import APIClient  # noqa: PLC0415 - its import is slow
    from docker.errors import DockerException  # noqa: PLC0415
    from requests.exceptions import RequestException  # noqa: PLC0415

    address = host or DEFAULT_HOST
    _reach(address)
    try:
        with closing(APIClient(base_url=address, timeout=_SILENCE_S, version="auto")) as client:
            yield client
    except (DockerException, RequestException) as error:
        said = str(getattr(error, "explanation", None) or error).strip()[:300]
        raise SetupError(f"The Docker engine at {address} failed: {said}") from error


def _reach(address: str) -> None:
    """Connect once: the SDK wraps what is wrong three deep."""
    parts = urlsplit(address)
    try:
        if parts.scheme == "unix":
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
                tried.settimeout(_REACH_S)
                tried.connect(parts.path)
            return
        where = (parts.hostname or "localhost", parts.port or _PORT)
        socket.create_connection(where, timeout=_REACH_S).close()
    except FileNotFoundError as error:
        raise SetupError(f"No Docker engine: there is no socket {parts.path}.") from error
    except PermissionError as error:
        raise SetupError(
            f"The Docker engine at {address} may not be used by this user: add it to the group "
            "of the socket, or be root."
        ) from error
    except (OSError, ValueError) as error:
        raise SetupError(f"No Docker engine answers at {address}.") from error
