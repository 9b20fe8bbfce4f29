"""Whether the database lets anybody in: asked before a server listens to others."""

from __future__ import annotations

import asyncio

from callsheet.auth import key_store
from callsheet.cli.database import open_database
from callsheet.cli.deployment import Deployment


def has_active_key(deployment: Deployment) -> bool:
    """Whether some key that was made with `callsheet keys` is good now."""

    async def ask() -> bool:
        async with open_database(deployment) as database, database.read() as tx:
            return await key_store.has_active_key(tx)

    return asyncio.run(ask())
