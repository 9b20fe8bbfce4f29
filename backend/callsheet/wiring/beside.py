"""What a process does beside its turns: none of it is worth ending them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from callsheet.kit.log import get_log

_AGAIN_S: Final = 5.0

log = get_log(__name__)


async def keep_going(work: Callable[[], Awaitable[None]], again_s: float = _AGAIN_S) -> None:
    """Do the work until cancelled; where it fails it is told in the log, and begun anew."""
    while True:
        try:
            await work()
        except Exception:  # border: a database that only reads for a while, a fault of ours
            log.exception("work_beside_failed", again_s=again_s)
        await asyncio.sleep(again_s)
