"""How many runs may wait for a worker."""

from __future__ import annotations

from typing import Final

from callsheet.db.transaction import Read
from callsheet.kit.errors import RateLimited
from callsheet.runs.queue_store import count_waiting

_COME_BACK_S: Final = 5.0


async def refuse_if_many_wait(tx: Read, most: int) -> None:
    """Raises RateLimited where `most` wait already, in all processes."""
    if await count_waiting(tx) >= most:
        raise RateLimited(
            "No place is free, and as many runs wait for one as may.",
            scope="deployment",
            reason="waiting",
            retry_after_s=_COME_BACK_S,
        )
