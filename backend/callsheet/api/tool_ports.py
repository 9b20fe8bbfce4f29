"""What the routers of tools need from the service behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.tools.listed import ListedTool


class ToolList(Protocol):
    """The tools that there are. Another user's session is NotFound."""

    def known(self) -> Sequence[ListedTool]:
        """Those that are there now, by name: no server is reached for it."""
        ...

    async def all(self) -> Sequence[ListedTool]:
        """Every registered tool, by name."""
        ...

    async def of_session(
        self, principal: Principal, session_id: UUID, workflow: str | None
    ) -> tuple[str, Sequence[ListedTool]]:
        """The workflow that a message in the session goes to, and what its agents may use.

        Raises:
            NotFound: the session, or the workflow that is named.
        """
        ...
