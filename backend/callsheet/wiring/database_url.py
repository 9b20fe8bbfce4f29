"""Where the database is, and how it is brought back when it went away."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from callsheet.db.embedded.lifecycle import EmbeddedPostgres
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.settings.settings import Settings
from callsheet.wiring.database_watch import Revive, others_revive


async def database_url(
    settings: Settings, data_dir: Path, stack: AsyncExitStack
) -> tuple[str, Revive]:
    """The one that the settings name, else our own, which is started and ends with `stack`."""
    named = settings.database.url
    if named is not None:
        return named.get_secret_value(), others_revive
    embedded = EmbeddedPostgres(EmbeddedOptions(data_dir=data_dir))
    stack.push_async_callback(embedded.stop)
    return await embedded.start(), embedded.start
