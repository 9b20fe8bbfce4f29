"""Asks a Docker engine whether it is there: two small requests, for which no SDK is loaded."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from callsheet.tools.sandbox.protocol import SandboxState

USUAL: Final = "unix:///var/run/docker.sock"
_ANSWER_S: Final = 5.0


class DockerProbe:
    """Implements `Probe`; `address` is that of the engine, None: its usual socket."""

    def __init__(self, address: str | None) -> None:
        self._address = address or USUAL

    async def state(self, image: str) -> SandboxState:
        """As the protocol says."""
        from aiohttp import ClientError  # noqa: PLC0415 - the start-up path stays light

        try:
            pinged = await self._ask("/_ping")
            found = await self._ask(f"/images/{quote(image, safe='/:')}/json")
        except (ClientError, OSError, TimeoutError, ValueError) as error:
            return self._away(error)
        if pinged != 200 or found not in (200, 404):
            return SandboxState("no_engine", f"The Docker engine answers {pinged} and {found}.")
        if found == 404:
            detail = f"The image {image} is missing: `callsheet sandbox build` makes it."
            return SandboxState("no_image", detail)
        return SandboxState("ready")

    def _away(self, error: Exception) -> SandboxState:
        cause = getattr(error, "os_error", error)
        if isinstance(cause, PermissionError):
            detail = f"This process may not use {self._address}; let its user into its group."
            return SandboxState("no_permission", detail)
        return SandboxState("no_engine", f"No Docker engine answers at {self._address}.")

    async def _ask(self, path: str) -> int:
        from aiohttp import (  # noqa: PLC0415 - the start-up path stays light
            BaseConnector,
            ClientSession,
            ClientTimeout,
            TCPConnector,
            UnixConnector,
        )

        connector: BaseConnector
        if self._address.startswith("unix://"):
            connector, base = UnixConnector(self._address.removeprefix("unix://")), "http://engine"
        else:
            connector, base = TCPConnector(), self._address.replace("tcp://", "http://", 1)
        timeout = ClientTimeout(total=_ANSWER_S)
        async with (
            ClientSession(connector=connector, timeout=timeout) as session,
            session.get(base + path) as answer,
        ):
            return answer.status
